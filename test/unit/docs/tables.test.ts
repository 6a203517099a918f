import { expect, it } from 'vitest';
import { generatedTables, withTable } from '../../../docs/generate.ts';
import { readDocument } from '../../support/markdown.ts';

it.each(generatedTables)('$document shows the table of the code under “$heading”', (table) => {
  const document = readDocument(table.document);
  expect(document, 'npm run docs writes it').toBe(withTable(document, table));
});
