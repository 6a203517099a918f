/** Working papers of a long task: unlocked, and gone with the lifecycle of staging. */
export interface WorkNotes {
  /** Puts a JSON document, over what stood there. @throws UnavailableError */
  put(key: string, document: unknown): Promise<void>;
  /** @throws UnavailableError */
  find(key: string): Promise<unknown | undefined>;
}
