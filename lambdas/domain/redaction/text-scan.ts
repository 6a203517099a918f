import { applyEdits, type Edit } from '../json/edit.ts';
import { classOf, DIGIT, endOfRun, MARK, ODD, UNDERSCORE, WORD } from './characters.ts';
import { findAddress } from './find-address.ts';
import { findLabelledNumber } from './find-labelled-number.ts';
import { findNamedValue, mayEndName } from './find-named-value.ts';
import { findDigits, findDigitsInside, findIban, findLetteredNumber } from './find-number.ts';
import type { Finding } from './finding.ts';
import { mayStartEscape } from './folded-text.ts';
import { endOfMarker, marker } from './marker.ts';
import {
  endOfPasswordHash,
  endOfPrivateKey,
  findAzureSecret,
  findSchemeToken,
} from './secret-forms.ts';
import { endOfJwt, endOfSecret, endOfUuid, isDashed, mayStartSecret } from './secret-shapes.ts';
import { redactUrl } from './url.ts';
import { endOfUrl } from './url-end.ts';

/** A shorter word has nothing to hide behind an underscore or letters. */
const MIN_COMPOUND_CHARACTERS = 12;

/** A replacement, and the rules that ask for it. */
export interface ScanEdit extends Edit {
  readonly rules: readonly string[];
}

/** One pass over a text that collects what must go. What each word costs when nothing is found is all that most texts cost. */
export class TextScan {
  readonly edits: ScanEdit[] = [];
  /** Whether the text has escapes or odd characters, behind which more may hide. */
  isOdd = false;
  private readonly text: string;
  private readonly isInUrl: boolean;
  /** The word that is being looked at, which a find may end within, and all classes in it. */
  private wordEnd = 0;
  private wordClasses = 0;
  /** No JWT starts before here. */
  private jwtFrom = 0;
  /** No URL starts before here: those inside another were cut with it. */
  private urlFrom = 0;
  /** No address starts before here. */
  private addressFrom = 0;

  constructor(text: string, isInUrl = false) {
    this.text = text;
    this.isInUrl = isInUrl;
  }

  run(): void {
    const { text } = this;
    for (let at = 0; at < text.length; ) {
      const found = classOf(text.charCodeAt(at));
      if ((found & WORD) !== 0) at = this.word(at);
      else if ((found & (MARK | ODD)) !== 0) at = this.mark(at);
      else at++;
    }
  }

  /** The text with what was found replaced. */
  applied(): string {
    return applyEdits(this.text, this.edits);
  }

  /** @returns the offset to go on from, always behind `at`; so do the others */
  private mark(at: number): number {
    const { text } = this;
    switch (text[at]) {
      case '@': {
        const found = findAddress(text, at, this.addressFrom);
        this.addressFrom = at + 1;
        return found ? this.replace(found) : at + 1;
      }
      case '[':
        return endOfMarker(text, at) ?? at + 1;
      case '-':
        return this.replaceSecret(at, endOfPrivateKey(text, at)) ?? at + 1;
      case '$':
        return this.replaceSecret(at, endOfPasswordHash(text, at)) ?? at + 1;
      case '~': {
        const found = findAzureSecret(text, at);
        return found && found.start >= this.addressFrom ? this.replace(found) : at + 1;
      }
      default:
        this.isOdd ||= mayStartEscape(text, at);
        return at + 1;
    }
  }

  private readWord(at: number): void {
    const { text } = this;
    let classes = 0;
    let end = at;
    for (; end < text.length; end++) {
      const found = classOf(text.charCodeAt(end));
      if ((found & WORD) === 0) break;
      classes |= found;
    }
    this.wordEnd = end;
    this.wordClasses = classes;
  }

  private word(at: number): number {
    const { text } = this;
    if (at >= this.wordEnd) this.readWord(at);
    const { wordEnd: end, wordClasses: classes } = this;
    if ((classes & ODD) !== 0) this.isOdd = true;
    const next = text.charCodeAt(end);
    let found: number | undefined;
    if (next === 58) found = this.url(at, end);
    if (found === undefined && mayStartSecret(text, at)) found = this.secret(at, end);
    if (found === undefined && (classes & DIGIT) !== 0) {
      if (next === 45 && end - at === 8) found = endOfUuid(text, at);
      found ??= this.numbers(at, end, classes);
    }
    const isCompound = (classes & (UNDERSCORE | DIGIT)) !== 0 && (classes & WORD) !== DIGIT;
    if (found === undefined && isCompound && end - at >= MIN_COMPOUND_CHARACTERS) {
      found = this.inside(at, end);
    }
    if (found === undefined && mayEndName(next))
      found = this.replaceFound(findNamedValue(text, end));
    return found ?? end;
  }

  private url(at: number, end: number): number | undefined {
    const { text } = this;
    const isUrl = text.charCodeAt(end + 1) === 47 && text.charCodeAt(end + 2) === 47;
    if (!isUrl && !(end - at === 4 && text.slice(at, end).toLowerCase() === 'jdbc'))
      return undefined;
    if (this.isInUrl || at < this.urlFrom) return undefined; // what else hides in it is found word by word
    const stop = endOfUrl(text, end);
    this.urlFrom = stop.end;
    const redacted = stop.maySayMore ? redactUrl(text.slice(at, stop.end)) : undefined;
    if (redacted === undefined) return undefined;
    const rest = new TextScan(redacted.text, true);
    rest.run();
    this.isOdd ||= rest.isOdd;
    const rules = [...redacted.rules, ...rest.edits.flatMap((edit) => edit.rules)];
    this.edits.push({ start: at, end: stop.end, replacement: rest.applied(), rules });
    this.addressFrom = stop.end;
    return stop.end;
  }

  private secret(at: number, end: number): number | undefined {
    const { text } = this;
    const found = this.replaceSecret(at, endOfSecret(text, at));
    if (found !== undefined) return found;
    if (at >= this.jwtFrom && text.startsWith('eyJ', at)) {
      const jwt = endOfJwt(text, at);
      if (jwt !== undefined) return this.replaceSecret(at, jwt);
      this.jwtFrom = endOfRun(text, at, isDashed);
    }
    return this.replaceFound(findSchemeToken(text, at, end));
  }

  private numbers(at: number, end: number, classes: number): number | undefined {
    const { text } = this;
    const isGrouped = (classes & WORD) === DIGIT || (classes & UNDERSCORE) !== 0;
    return this.replaceFound(
      findLabelledNumber(text, at) ??
        (isGrouped ? findDigits(text, at, end) : undefined) ??
        findIban(text, at) ??
        findLetteredNumber(text, at, end),
    );
  }

  /** `old_AKIA…`, `card4111111111111111`: secrets and accounts behind underscores, numbers anywhere in a word. */
  private inside(at: number, end: number): number | undefined {
    const { text } = this;
    let found: number | undefined;
    for (let next = at; next < end; ) {
      const isPiece = next > at && text.charCodeAt(next - 1) === 95;
      const hit =
        (isPiece ? findPiece(text, next) : undefined) ?? findDigitsInside(text, next, end);
      if (hit !== undefined) found = this.replace(hit);
      next = hit?.end ?? next + 1;
    }
    return found === undefined ? undefined : Math.max(found, end);
  }

  private replaceSecret(start: number, end: number | undefined): number | undefined {
    return end === undefined ? undefined : this.replace({ start, end, rule: 'secret' });
  }

  private replaceFound(found: Finding | undefined): number | undefined {
    return found && this.replace(found);
  }

  private replace({ start, end, rule }: Finding): number {
    this.edits.push({ start, end, replacement: marker(rule), rules: [rule] });
    this.addressFrom = end;
    return end;
  }
}

/** A secret or an account that starts behind an underscore. */
function findPiece(text: string, at: number): Finding | undefined {
  const end = mayStartSecret(text, at) ? endOfSecret(text, at) : undefined;
  return end === undefined ? findIban(text, at) : { start: at, end, rule: 'secret' };
}
