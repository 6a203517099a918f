import { type EpochKey, keyedHash } from '../evidence/keyed-hash.ts';
import { isSubjectPseudonym, type SubjectPseudonyms } from '../subjects/pseudonym.ts';
import { redactCommandLine } from './command-line.ts';
import type { ErrorFields } from './error-fields.ts';
import { redactErrorText } from './error-text.ts';
import type { SourcedDialect } from './event-dialect.ts';
import { isDataNameInPath, pseudonym } from './identifier.ts';
import { marker } from './marker.ts';
import { Memory } from './memory.ts';
import { isColumnData } from './names.ts';
import { scanText } from './scan-text.ts';
import { redactExpression } from './sql/expression.ts';
import type { SqlFacts } from './sql/facts.ts';
import { redactSql } from './sql/redact-sql.ts';
import { isSqlLike } from './sql-like.ts';
import type { Treatment } from './treatment.ts';
import { redactUrl } from './url.ts';

/** What a text turned into. `text` may be the one that came: then only facts were taken. */
export interface RedactedValue {
  readonly text: string;
  readonly rules: readonly string[];
  /** How much of a statement was read. */
  readonly mode?: 'full' | 'partial' | 'skeleton';
  readonly statement?: StatementFacts;
  readonly error?: ErrorFields;
}

/** What a statement said before its values were taken out. */
export interface StatementFacts extends SqlFacts {
  /** Its canonical name; `unknown` when every dialect was considered. */
  readonly dialect: string;
  readonly dialectSource?: SourcedDialect['source'];
  /** Keyed hash of the statement without its values: the same for all that differ in values only. */
  readonly shape?: string;
  /** Keyed hash of the statement as it came. */
  readonly exact?: string;
}

/** How values are redacted in one record: pure, given the key of its epoch. */
export interface ValueContext {
  readonly key: EpochKey;
  /** Whether the policy asks for {@link StatementFacts.exact}. */
  readonly exactFingerprints: boolean;
  /** @default - every subject is dropped */
  readonly subjects?: SubjectPseudonyms;
}

/** Redacts one text by its treatment. */
export class ValueRedactor {
  private readonly context: ValueContext;
  private readonly pseudonyms = new Map<string, string>();

  constructor(context: ValueContext) {
    this.context = context;
  }

  /**
   * @param dialect of the database that a statement is for
   * @returns undefined when the text stays and says nothing
   */
  redact(text: string, treatment: Treatment, dialect?: SourcedDialect): RedactedValue | undefined {
    const clean = CLEAN.get(treatment);
    if (clean?.get(text)) return undefined;
    const redacted = this.judge(text, treatment, dialect);
    if (redacted === undefined) clean?.set(text, true);
    return redacted;
  }

  private judge(
    text: string,
    treatment: Treatment,
    dialect: SourcedDialect | undefined,
  ): RedactedValue | undefined {
    switch (treatment) {
      case 'keep':
        return undefined;
      case 'sql':
        return this.sql(text, dialect);
      case 'expression':
        return expression(text, dialect);
      case 'error':
        return this.error(text, dialect);
      case 'command':
        return command(text);
      case 'url':
        return isSqlLike(text) ? this.sql(text, dialect) : url(text);
      case 'request':
        return isSqlLike(text) ? this.sql(text, dialect) : request(text);
      case 'identity':
        return this.identity(text);
      case 'column':
        return isColumnData(text) ? this.named(text) : undefined;
      case 'pseudonym':
        return this.person(text);
      case 'subject':
        return this.subject(text);
      case 'scan':
        return isSqlLike(text) ? this.sql(text, dialect) : scanText(text);
      default:
        return { text: marker('dropped'), rules: ['dropped'] };
    }
  }

  private sql(text: string, dialect: SourcedDialect | undefined): RedactedValue {
    const { key, exactFingerprints } = this.context;
    const redacted = redactSql(text, {
      ...(dialect && { dialect: dialect.name }),
      pseudonym: (identifier) => this.pseudonym(identifier),
    });
    const fingerprint = (purpose: 'shape/1' | 'exact/1', of: string) =>
      keyedHash(key, purpose, `${redacted.dialect}\0${of}`).slice(0, FINGERPRINT_DIGITS);
    return {
      text: redacted.text,
      rules: redacted.text === text ? [] : ['sql'],
      mode: redacted.mode,
      statement: {
        ...redacted.facts,
        dialect: redacted.dialect,
        ...(dialect && redacted.dialect !== 'unknown' && { dialectSource: dialect.source }),
        ...(redacted.shape !== undefined && { shape: fingerprint('shape/1', redacted.shape) }),
        ...(exactFingerprints && { exact: fingerprint('exact/1', text) }),
      },
    };
  }

  private error(text: string, dialect: SourcedDialect | undefined): RedactedValue {
    const { text: redacted, fields } = redactErrorText(text, (sql) => {
      const { text: statement, mode } = this.sql(sql, dialect);
      return mode === 'skeleton' ? undefined : statement;
    });
    return { text: redacted, rules: redacted === text ? [] : ['error'], error: fields };
  }

  /** Lineage is joined on it: only what a URL smuggles in it goes, or all of it when it is data. */
  private identity(text: string): RedactedValue | undefined {
    const bare = redactUrl(text);
    const name = bare?.text ?? text;
    if (name === '' || isDataNameInPath(name)) return this.named(text);
    return bare;
  }

  private named(text: string): RedactedValue {
    return { text: this.pseudonym(text), rules: ['identifier'] };
  }

  /** Teams stay, persons become pseudonyms. */
  private person(text: string): RedactedValue | undefined {
    if (PSEUDONYM.test(text) || (TEAM.test(text) && !isDataNameInPath(text))) return undefined;
    return { text: this.pseudonym(text), rules: ['person'] };
  }

  /** The key of the subject may be erased: then nothing may stand for them. */
  private subject(text: string): RedactedValue | undefined {
    if (isSubjectPseudonym(text)) return undefined;
    return { text: this.context.subjects?.(text) ?? marker('subject'), rules: ['subject'] };
  }

  /** Stands for a name that is data: the same for the same name in the same epoch. */
  pseudonym(identifier: string): string {
    const known = this.pseudonyms.get(identifier);
    if (known !== undefined) return known;
    const made = pseudonymOf(identifier, this.context.key);
    this.pseudonyms.set(identifier, made);
    return made;
  }
}

/** Stands for a name that is data under the key of an epoch. */
export function pseudonymOf(identifier: string, key: EpochKey): string {
  return pseudonym(identifier, (text) => Buffer.from(keyedHash(key, 'identifier/1', text), 'hex'));
}

/**
 * Texts that were left as they are. Producers send the same names and addresses over and over, and
 * whether anything has to go of them depends on nothing else.
 */
const CLEAN: ReadonlyMap<Treatment, Memory<true>> = new Map(
  (['scan', 'url', 'identity', 'column'] as const).map((treatment) => [treatment, new Memory()]),
);

/** 128 bits: enough to compare by. */
const FINGERPRINT_DIGITS = 32;

const PSEUDONYM = /^id_[a-p]{16}$/;

const TEAM =
  /^(?:team|group|org|organization|department|application|service|role):[\w .:/+-]{1,128}$/i;

/** Where a name should stand in it, a secret may: what a detector finds outside of its literals is no expression. */
function expression(text: string, dialect: SourcedDialect | undefined): RedactedValue | undefined {
  const redactedOf = (expression: string) =>
    redactExpression(expression, dialect ? { dialect: dialect.name } : {});
  const redacted = redactedOf(text);
  const scanned = scanText(text)?.text ?? text;
  const isSecret =
    redacted !== undefined &&
    (scanText(redacted) !== undefined || (scanned !== text && redactedOf(scanned) !== redacted));
  const kept = redacted === undefined || isSecret ? marker('expression') : redacted;
  return changed(text, kept, ['expression']);
}

/** What a detector knows may have spaces in it, and an argument ends there. */
function command(text: string): RedactedValue | undefined {
  const scanned = scanText(text);
  const redacted = changed(text, redactCommandLine(scanned?.text ?? text), ['command']);
  if (!scanned || !redacted) return scanned ?? redacted;
  return { text: redacted.text, rules: [...new Set([...redacted.rules, ...scanned.rules])] };
}

function url(text: string): RedactedValue | undefined {
  return inTurn(text, redactUrl(text), scanText);
}

/** What was asked of a server: where is kept, the values in the query are not. */
function request(text: string): RedactedValue | undefined {
  return inTurn(text, redactUrl(text, { dropQuery: true }), url);
}

/** What a second redactor makes of what a first one left, and the rules of both. */
function inTurn(
  text: string,
  first: RedactedValue | undefined,
  second: (text: string) => RedactedValue | undefined,
): RedactedValue | undefined {
  const then = second(first?.text ?? text);
  if (!first || !then) return first ?? then;
  return { text: then.text, rules: [...new Set([...first.rules, ...then.rules])] };
}

function changed(
  text: string,
  redacted: string,
  rules: readonly string[],
): RedactedValue | undefined {
  return redacted === text ? undefined : { text: redacted, rules };
}
