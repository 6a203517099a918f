import { isSpace } from './characters.ts';

/** Where a URL in a text ends, and whether it has any sign of user info, pairs, escapes, webhooks or bots. */
interface UrlEnd {
  readonly end: number;
  readonly maySayMore: boolean;
}

/** @param colon offset of the colon behind the scheme */
export function endOfUrl(text: string, colon: number): UrlEnd {
  let maySayMore = false;
  let end = colon + 1;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code < 64 || code > 122) {
      if (isSpace(code) || code === 34 || code === 60 || code === 62) break;
      maySayMore ||= code === 61 || code === 37;
    } else if (code === 64) maySayMore = true;
    else if (code === 96) break;
    else if (code === 107) maySayMore ||= text.startsWith('hook', end - 3);
    else if (code === 116) maySayMore ||= text.startsWith('/bot', end - 3);
  }
  return { end, maySayMore };
}
