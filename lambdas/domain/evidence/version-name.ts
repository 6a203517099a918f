import type { ObjectVersion } from './ports.ts';

/** An object version as one text: `<bucket>/<key>@<version id>`. Version ids alone are not unique. */
export function versionName({ bucket, key, versionId }: ObjectVersion): string {
  return `${bucket}/${key}@${versionId}`;
}
