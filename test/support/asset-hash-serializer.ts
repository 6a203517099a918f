import { expect } from 'vitest';

const ASSET_HASH = /[0-9a-f]{64}/g;

// without bundling, the hash of a function's code depends on the folder of the checkout
expect.addSnapshotSerializer({
  test: (value) => typeof value === 'string' && value.search(ASSET_HASH) !== -1,
  serialize: (value: string) => JSON.stringify(value.replaceAll(ASSET_HASH, '<asset-hash>')),
});
