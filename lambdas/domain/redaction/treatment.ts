/**
 * What happens to a value:
 * `keep` as it is; `sql` a statement, `expression` a part of one, `error` an error text, `command` a
 * command line, `url` a URL or DSN, `request` a URL whose query is data: each through its redactor;
 * `scan` through the detectors; `identity` a name that lineage is joined on: secrets of URLs cut,
 * otherwise kept; `column` a name inside a dataset; `pseudonym` a person or a name that is one; `subject` a person whose pseudonym can be erased; `drop`
 * replaced whole, whatever it is; `facets` facets of its own.
 */
export type Treatment =
  | 'keep'
  | 'sql'
  | 'expression'
  | 'error'
  | 'command'
  | 'url'
  | 'request'
  | 'scan'
  | 'identity'
  | 'column'
  | 'pseudonym'
  | 'subject'
  | 'drop'
  | 'facets';
