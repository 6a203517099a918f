import { crc32 } from 'node:zlib';

const LOCAL_HEADER = 0x04034b50;
const CENTRAL_HEADER = 0x02014b50;
const END_OF_DIRECTORY = 0x06054b50;
const VERSION = 20;

/** A ZIP archive of one file, stored without compression (APPNOTE.TXT 4.3). */
export function zipOf(name: string, text: string): Buffer {
  const content = Buffer.from(text);
  const fileName = Buffer.from(name);
  const shared = record(
    [VERSION, 2],
    ...[0, 0, 0, 0].map((zero): [number, number] => [zero, 2]),
    [crc32(content), 4],
    [content.length, 4],
    [content.length, 4],
    [fileName.length, 2],
    [0, 2],
  );
  const local = Buffer.concat([record([LOCAL_HEADER, 4]), shared, fileName, content]);
  const central = Buffer.concat([
    record([CENTRAL_HEADER, 4], [VERSION, 2]),
    shared,
    record([0, 2], [0, 2], [0, 2], [0, 4], [0, 4]),
    fileName,
  ]);
  const end = record(
    [END_OF_DIRECTORY, 4],
    [0, 2],
    [0, 2],
    [1, 2],
    [1, 2],
    [central.length, 4],
    [local.length, 4],
    [0, 2],
  );
  return Buffer.concat([local, central, end]);
}

/** Little-endian numbers of the given widths, one behind the other. */
function record(...fields: ReadonlyArray<readonly [value: number, bytes: number]>): Buffer {
  return Buffer.concat(
    fields.map(([value, bytes]) => {
      const field = Buffer.alloc(bytes);
      field.writeUIntLE(value, 0, bytes);
      return field;
    }),
  );
}
