import { endOfRun, isAlphanumeric, isDigit, isSpace, isWordPart } from './characters.ts';
import {
  ibanLength,
  isCardNumber,
  isGroupedNationalNumber,
  isIban,
  isLetteredNationalNumber,
  isNationalNumber,
} from './checksums.ts';
import { marker } from './marker.ts';
import { isSecretHeader, isSecretName } from './secret-names.ts';
import {
  endOfJwt,
  endOfPrivateKey,
  endOfSchemeToken,
  endOfSecret,
  endOfUuid,
  isDashed,
} from './secret-shapes.ts';
import { type RedactedText, redactUrl } from './url.ts';

/**
 * Replaces, in place, what gives itself away in a free text: keys and tokens, secrets behind their
 * names, user info and signatures of URLs, e-mail addresses, card numbers, IBANs and national
 * numbers. The rest stays to the character. One pass; a second one changes nothing.
 * @returns undefined when nothing had to go
 */
export function scanText(text: string): RedactedText | undefined {
  return text.length < SHORTEST_CHARACTERS ? undefined : new TextScan(text).run();
}

/** `a@b.de`, or `pw=1` */
const SHORTEST_CHARACTERS = 4;

/** Longest gap between a name and its value that is still one. */
const MAX_GAP_CHARACTERS = 16;
const MAX_NAME_CHARACTERS = 128;
const MAX_GROUPS = 8;
/** RFC 5321: a local part has 64. */
const MAX_QUOTED_CHARACTERS = 66;
/** The shortest national number that a check proves, and the longest card number. */
const MIN_PROVEN_DIGITS = 9;
const MAX_PROVEN_DIGITS = 19;
/** 19 digits with a separator behind each. */
const MAX_NUMBER_CHARACTERS = 38;

const MARKER_HEAD = '[redacted:';
const MAX_MARKER_CHARACTERS = 64;

/** What stands before a number whose check nobody needs to do. */
const NUMBER_LABELS = new Set(
  'ssn sin bsn nhs nif nie dni tfn cpf pesel nir nino iban aadhaar passport taxid steuerid insee creditcard cardnumber pan cvv cvc'.split(
    ' ',
  ),
);

class TextScan {
  private readonly text: string;
  private readonly isInUrl: boolean;
  private out = '';
  /** Everything before it is in `out` already. */
  private copied = 0;
  private readonly rules = new Set<string>();
  /** Start of the words joined by single `-`, `.` or `$` (`api key` by a space) that end at the current one: a name may be all of them. */
  private nameStart = 0;
  private nameEnd = -1;
  /** No JWT starts before here. */
  private jwtFrom = 0;
  /** No URL starts before here: those inside another were cut with it. */
  private urlFrom = 0;
  /** No e-mail address starts before here. */
  private localFrom = 0;
  private lastWordStart = 0;
  private lastWordEnd = -1;

  constructor(text: string, isInUrl = false) {
    this.text = text;
    this.isInUrl = isInUrl;
  }

  run(): RedactedText | undefined {
    const { text } = this;
    let at = 0;
    while (at < text.length) at = this.step(at);
    if (this.rules.size === 0) return undefined;
    return { text: this.out + text.slice(this.copied), rules: [...this.rules] };
  }

  /** @returns the offset to go on from, always behind `at` */
  private step(at: number): number {
    const { text } = this;
    const code = text.charCodeAt(at);
    if (isWordPart(code)) return this.word(at);
    if (code === 64) return this.email(at, at + 1);
    if (code === 37 && text.startsWith('%40', at)) return this.email(at, at + 3);
    if (code === 91 && text.startsWith(MARKER_HEAD, at)) return endOfMarker(text, at) ?? at + 1;
    if (code === 45 && text.startsWith('-----BEGIN', at)) {
      const end = endOfPrivateKey(text, at);
      if (end !== undefined) return this.replace(at, end, 'secret');
    }
    return at + 1;
  }

  private word(at: number): number {
    const { text } = this;
    const end = endOfRun(text, at, isWordPart);
    this.joinName(at, end);
    const found =
      this.url(at, end) ??
      this.secret(at, end) ??
      (end - at === 8 ? endOfUuid(text, at) : undefined) ??
      this.numbers(at, end) ??
      this.named(end);
    this.lastWordStart = at;
    this.lastWordEnd = end;
    return found ?? end;
  }

  private joinName(at: number, end: number): void {
    const joint = this.text[at - 1] as string;
    const isJoined =
      at === this.nameEnd + 1 &&
      ('-.$'.includes(joint) ||
        (joint === ' ' && end - at < 5 && /^keys?$/i.test(this.text.slice(at, end))));
    if (!isJoined) this.nameStart = at;
    this.nameEnd = end;
  }

  private url(at: number, end: number): number | undefined {
    const { text } = this;
    if (text.charCodeAt(end) !== 58) return undefined;
    const isJdbc = end - at === 4 && text.slice(at, end).toLowerCase() === 'jdbc';
    if (!isJdbc && !text.startsWith('://', end)) return undefined;
    if (at < this.urlFrom) return undefined;
    const stop = endOfRun(text, end, isUrlPart);
    this.urlFrom = stop;
    const redacted = this.isInUrl ? undefined : redactUrl(text.slice(at, stop));
    if (redacted === undefined) return undefined; // what else hides in it is found word by word
    const rest = new TextScan(redacted.text, true).run();
    for (const rule of [...redacted.rules, ...(rest?.rules ?? [])]) this.rules.add(rule);
    this.out += text.slice(this.copied, at) + (rest ?? redacted).text;
    this.copied = stop;
    return stop;
  }

  private secret(at: number, end: number): number | undefined {
    const { text } = this;
    const secret = endOfSecret(text, at);
    if (secret !== undefined) return this.replace(at, secret, 'secret');
    if (at >= this.jwtFrom && text.startsWith('eyJ', at)) {
      const jwt = endOfJwt(text, at);
      if (jwt !== undefined) return this.replace(at, jwt, 'secret');
      this.jwtFrom = endOfRun(text, at, isDashed);
    }
    const length = end - at;
    if (length !== 5 && length !== 6) return undefined;
    const word = text.slice(at, end).toLowerCase();
    if (word !== 'bearer' && word !== 'basic') return undefined;
    const token = endOfSchemeToken(text, word, end);
    if (token === undefined) return undefined;
    const start = endOfRun(text, end, isSpace);
    return this.isMarker(start) ? undefined : this.replace(start, token, 'secret');
  }

  private numbers(at: number, end: number): number | undefined {
    const { text } = this;
    if (isDigit(text.charCodeAt(at))) {
      if (this.isLabelled(at)) {
        const labelled = endOfRun(text, at, isNumberPart, MAX_NUMBER_CHARACTERS);
        const digits = text.slice(at, labelled).trimEnd();
        if (countDigits(digits) >= 3)
          return this.replace(at, at + digits.length, 'national_number');
      }
      // The digits behind a decimal point are a number's.
      if (text[at - 1] === '.' && isDigit(text.charCodeAt(at - 2))) return undefined;
      const grouped = this.groups(at, end);
      if (grouped !== undefined) return grouped;
    }
    const iban = endOfIban(text, at);
    if (iban !== undefined) return this.replace(at, iban, 'iban');
    const length = letteredLength(text, at, end - at);
    if (length !== undefined && !isWordPart(text.charCodeAt(at + length))) {
      const word = text.slice(at, at + length).toUpperCase();
      if (isLetteredNationalNumber(word)) return this.replace(at, at + length, 'national_number');
    }
    return end - at > 11 ? this.inside(at, end) : undefined;
  }

  private isLabelled(at: number): boolean {
    const gap = at - this.lastWordEnd;
    const length = this.lastWordEnd - this.lastWordStart;
    if (gap < 1 || gap > 4 || length < 3 || length > 20) return false;
    if (isDigit(this.text.charCodeAt(this.lastWordStart))) return false;
    const label = this.text.slice(this.lastWordStart, this.lastWordEnd).toLowerCase();
    if (!NUMBER_LABELS.has(label.replaceAll('_', ''))) return false;
    for (const char of this.text.slice(this.lastWordEnd, at)) {
      if (!' :=#"\'.-'.includes(char)) return false;
    }
    return true;
  }

  /** Digits, perhaps in groups with one kind of separator between. */
  private groups(at: number, end: number): number | undefined {
    const { text } = this;
    if (endOfRun(text, at, isDigit) !== end) return undefined;
    const groups = [text.slice(at, end)];
    const ends = [end];
    const separator = text[end] ?? '';
    if (' -.'.includes(separator) && separator !== '') {
      const goesOn = (next: number) =>
        text[next] === separator || (separator === '.' && text[next] === '-');
      for (let next = end; groups.length < MAX_GROUPS && goesOn(next); ) {
        const stop = endOfRun(text, next + 1, isDigit, 20);
        if (stop === next + 1 || isWordPart(text.charCodeAt(stop))) break;
        groups.push(text.slice(next + 1, stop));
        ends.push(stop);
        next = stop;
      }
    }
    for (let count = groups.length; count > 0; count--) {
      const taken = groups.slice(0, count);
      const digits = taken.join('');
      if (digits.length > MAX_PROVEN_DIGITS) continue;
      if (digits.length < MIN_PROVEN_DIGITS) break;
      const rule = isCardNumber(digits)
        ? 'card_number'
        : isNationalNumber(digits) || isGroupedNationalNumber(taken, separator)
          ? 'national_number'
          : undefined;
      if (rule !== undefined) return this.replace(at, ends[count - 1] as number, rule);
    }
    return undefined;
  }

  /** `tmp_4111111111111111`, `card4111111111111111`, `old_AKIA…`: what stands behind `_`, or digits behind letters that are no hash. */
  private inside(at: number, end: number): number | undefined {
    const { text } = this;
    let found: number | undefined;
    for (let piece = at; piece < end; ) {
      const secret = piece > at ? endOfSecret(text, piece) : undefined;
      if (secret !== undefined) return this.replace(piece, secret, 'secret');
      const stop = endOfRun(text, piece, isAlphanumeric, end - piece);
      const start = endOfRun(text, piece, (code) => !isDigit(code), stop - piece);
      const length = stop - start;
      const isHash =
        start > piece && stop - piece >= 20 && HEXADECIMAL.test(text.slice(piece, stop));
      if (length >= 11 && length <= 19 && !isHash && endOfRun(text, start, isDigit) === stop) {
        const digits = text.slice(start, stop);
        if (isCardNumber(digits)) found = this.replace(start, stop, 'card_number');
        else if (isNationalNumber(digits)) found = this.replace(start, stop, 'national_number');
      }
      piece = Math.max(stop, piece + 1);
    }
    return found === undefined ? undefined : end;
  }

  /** `name=value`, `"name": "value"`, `<name>value<`, `--name value` where the name is one of a secret. */
  private named(end: number): number | undefined {
    const { text } = this;
    const quote = endOfRun(text, end, isQuoteOrBackslash, 8);
    const gap = endOfRun(text, quote, isBlank, MAX_GAP_CHARACTERS);
    const sign = text[gap];
    const isTag = sign === '>' && gap === end && text[this.nameStart - 1] === '<';
    const isFlag = gap > end && quote === end && text[this.nameStart - 1] === '-';
    if (sign !== '=' && sign !== ':' && !isTag && !isFlag) return undefined;
    const name = text.slice(Math.max(this.nameStart, end - MAX_NAME_CHARACTERS), end);
    if (!isSecretName(name)) return undefined;
    if (isTag) return this.replaceValue(gap + 1, endOfTag(text, gap + 1));
    if (isFlag && sign !== '=' && sign !== ':') {
      return sign === undefined || sign === '-' ? undefined : this.value(gap, undefined);
    }
    // The part of an ARN that says what it names.
    if (sign === ':' && name === 'secret' && text[this.nameStart - 1] === ':') return undefined;
    // `::` and `://` stand in no pair.
    if (sign === ':' && (text[gap + 1] === ':' || text.startsWith('//', gap + 1))) return undefined;
    const operator = text[gap + 1] === '>' || text[gap + 1] === '=' ? gap + 2 : gap + 1;
    const start = endOfRun(text, operator, isBlank, MAX_GAP_CHARACTERS);
    const opening = text[this.nameStart - 1];
    const header = isSecretHeader(name) ? (opening ?? '\n') : undefined;
    return this.value(start, header);
  }

  /** @param header what opens the text that the value goes to the end of, when spaces do not end it */
  private value(start: number, header: string | undefined): number | undefined {
    const { text } = this;
    const first = text[start];
    if (first === undefined || this.isMarker(start)) return undefined;
    const slashes = endOfRun(text, start, (code) => code === 92, 8);
    const quote = text[slashes] ?? '';
    if ('"\'`'.includes(quote) && quote !== '') {
      const inner = slashes + 1;
      return this.replaceValue(inner, endOfString(text, inner, text.slice(start, inner)));
    }
    if (first === '{' && text[start - 1] === '=') {
      return this.replaceValue(start, endOfBraced(text, start));
    }
    if (first === '{' || first === '[') return this.replaceValue(start, endOfBalanced(text, start));
    if (header !== undefined) {
      const close = '"\''.includes(header) ? header : '\n';
      const end = text.indexOf(close, start);
      return this.replaceValue(start, end === -1 ? text.length : end);
    }
    return this.replaceValue(start, endOfBareValue(text, start));
  }

  private replaceValue(start: number, end: number): number | undefined {
    if (end <= start || this.isMarker(start)) return undefined;
    const value = end - start <= 9 ? shortText(this.text, start, end) : '';
    if (SAYS_NOTHING.has(value)) return undefined;
    return this.replace(start, end, 'credential');
  }

  private email(at: number, after: number): number {
    const { text } = this;
    const first = Math.max(this.copied, this.localFrom);
    this.localFrom = after;
    let start = at;
    while (start > first && isLocalPart(text.charCodeAt(start - 1))) start--;
    if (start === at && text[at - 1] === '"') {
      start = Math.max(text.lastIndexOf('"', at - 2), first, at - MAX_QUOTED_CHARACTERS);
    }
    let end = endOfRun(text, after, isDomainPart);
    while (end > after && '.-'.includes(text[end - 1] as string)) end--;
    const name = text.slice(after, end).toLowerCase();
    const dot = name.lastIndexOf('.');
    const isDomain = dot > 0 && name.length - dot > 2 && !isDigit(name.charCodeAt(dot + 1));
    if (start >= at || !isDomain) return after;
    // The container of an Azure path, and the user of every Git host.
    if (name.endsWith('.core.windows.net') || text.slice(start, at) === 'git') return after;
    return this.replace(start, end, 'email');
  }

  private replace(start: number, end: number, rule: string): number {
    this.out += this.text.slice(this.copied, start) + marker(rule);
    this.copied = end;
    this.rules.add(rule);
    return end;
  }

  private isMarker(at: number): boolean {
    return endOfMarker(this.text, at) !== undefined;
  }
}

const HEXADECIMAL = /^[0-9a-f]+$/i;
const SAYS_NOTHING = new Set([
  'null',
  'none',
  'true',
  'false',
  'undefined',
  '?',
  '""',
  "''",
  '[]',
  '{}',
]);

const shortText = (text: string, start: number, end: number) =>
  text.slice(start, end).toLowerCase();

function endOfMarker(text: string, at: number): number | undefined {
  if (!text.startsWith(MARKER_HEAD, at)) return undefined;
  const start = at + MARKER_HEAD.length;
  const end = endOfRun(
    text,
    start,
    (code) => (code >= 97 && code <= 122) || code === 95,
    MAX_MARKER_CHARACTERS,
  );
  return text[end] === ']' ? end + 1 : undefined;
}

const isNumberPart = (code: number) => isDigit(code) || code === 45 || code === 32 || code === 46;
const isBlank = (code: number) => code === 32 || code === 9;
const isQuoteOrBackslash = (code: number) =>
  code === 34 || code === 39 || code === 96 || code === 92 || code === 93;
const isUrlPart = (code: number) =>
  !isSpace(code) && code !== 34 && code !== 60 && code !== 62 && code !== 96;
const isDomainPart = (code: number) => code === 46 || code === 45 || isAlphanumeric(code);
/** RFC 5322 atext that addresses in use have. */
const isLocalPart = (code: number) =>
  isWordPart(code) ||
  code === 46 ||
  code === 43 ||
  code === 45 ||
  code === 37 ||
  code === 39 ||
  code === 38;

function countDigits(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) if (isDigit(text.charCodeAt(at))) count++;
  return count;
}

/** How many characters a national number with letters would have here; undefined for most words. */
function letteredLength(text: string, at: number, length: number): number | undefined {
  if (length === 16) return 16;
  if (length === 9) return isDigit(text.charCodeAt(at + 1)) ? 9 : undefined;
  if (!isDigit(text.charCodeAt(at))) return undefined;
  const isBirthDate = length === 6 && (text[at + 6] === '-' || text[at + 6] === '+');
  return length === 11 || length === 18 ? length : isBirthDate ? 11 : undefined;
}

/** End of the IBAN that starts here, in one piece or in groups. */
function endOfIban(text: string, at: number): number | undefined {
  if (!isDigit(text.charCodeAt(at + 2)) || !isDigit(text.charCodeAt(at + 3))) return undefined;
  const length = ibanLength(text.slice(at, at + 2).toUpperCase());
  if (length === undefined) return undefined;
  let digits = '';
  let end = at;
  while (digits.length < length) {
    const code = text.charCodeAt(end);
    if (isAlphanumeric(code)) digits += text[end];
    else if ((code !== 32 && code !== 45) || !isAlphanumeric(text.charCodeAt(end + 1)))
      return undefined;
    end++;
  }
  return !isWordPart(text.charCodeAt(end)) && isIban(digits.toUpperCase()) ? end : undefined;
}

function endOfTag(text: string, start: number): number {
  const end = text.indexOf('<', start);
  return end === -1 ? text.length : end;
}

/** Offset of the quote that ends a string, or the end of the text: doubled and escaped quotes do not end it. */
function endOfString(text: string, start: number, quote: string): number {
  if (quote.length > 1) {
    const end = text.indexOf(quote, start);
    return end === -1 ? text.length : end;
  }
  for (let at = start; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === quote) {
      if (text[at + 1] !== quote) return at;
      if (at === start) return at;
      at++;
    }
  }
  return text.length;
}

/** ODBC: a brace in a value in braces is doubled. */
function endOfBraced(text: string, start: number): number {
  for (let at = text.indexOf('}', start); at !== -1; at = text.indexOf('}', at + 2)) {
    if (text[at + 1] !== '}') return at + 1;
  }
  return text.length;
}

/** Offset behind the bracket that closes the one here, or the end of the text. */
function endOfBalanced(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (char === '{' || char === '[') depth++;
    else if ((char === '}' || char === ']') && --depth === 0) return at + 1;
  }
  return text.length;
}

/** A value without quotes ends at a space or where the next pair begins: a password may have any punctuation in it. */
function endOfBareValue(text: string, start: number): number {
  let end = start;
  while (end < text.length && !isSpace(text.charCodeAt(end))) {
    if ('&;,'.includes(text[end] as string) && isPairAhead(text, end + 1)) break;
    end++;
  }
  while (end > start && '"\')]};,.>&'.includes(text[end - 1] as string)) end--;
  return end;
}

function isPairAhead(text: string, at: number): boolean {
  const start = endOfRun(text, at, (code) => isBlank(code) || isQuoteOrBackslash(code), 4);
  const end = endOfRun(text, start, (code) => isWordPart(code) || code === 45 || code === 46, 64);
  const sign = text[endOfRun(text, end, (code) => isBlank(code) || isQuoteOrBackslash(code), 4)];
  return end > start && (sign === '=' || sign === ':');
}
