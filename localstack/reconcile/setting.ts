import type { Clients } from '../clients.ts';

/** Resolved properties of a resource. */
export type Properties = Readonly<Record<string, unknown>>;

/** One setting of a resource type: what the template wants, how to set it and how to read it back. */
export interface Setting {
  readonly type: string;
  readonly name: string;
  /** In the form that `read` gives; undefined when the template does not speak of it. */
  readonly expected: (properties: Properties) => unknown;
  /** Absent when the emulator's CloudFormation sets it; then it is only read back. */
  readonly apply?: (clients: Clients, id: string, properties: Properties) => Promise<unknown>;
  readonly read: (clients: Clients, id: string) => Promise<unknown>;
}

/** A tag as CloudFormation and S3 write it. */
export interface Tag {
  readonly Key: string;
  readonly Value: string;
}

/** Tags in one order; the emulator's own ones are left out. */
export function sortTags(tags: readonly Partial<Tag>[] | undefined): readonly string[] | undefined {
  return tags
    ?.filter((tag) => !tag.Key?.startsWith('aws:'))
    .map((tag) => `${tag.Key}=${tag.Value}`)
    .sort();
}
