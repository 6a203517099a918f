/** A text in which some pieces are replaced, from its start to its end. */
export class Rewriter {
  private readonly source: string;
  private written = '';
  private copied = 0;

  constructor(source: string) {
    this.source = source;
  }

  /** Puts a replacement in the place of a piece that lies behind the last one. */
  replace(start: number, end: number, replacement: string): void {
    this.written += this.source.slice(this.copied, start) + replacement;
    this.copied = end;
  }

  finish(): string {
    return this.written + this.source.slice(this.copied);
  }
}
