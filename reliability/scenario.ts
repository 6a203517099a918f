import type { FaultPlan } from '../test/support/aws-fault-proxy.ts';

/** How the events of a scenario are sent. */
export interface Traffic {
  /** How often each request is sent, in shuffled order and with the events of a batch shuffled. */
  readonly copies: number;
  /** Share of the answers that a sender never sees: it sends again what is accepted already. */
  readonly unheard: number;
}

/** What a scenario may do to the store while events are on their way. */
export interface FaultControl {
  /** Calls of the accepting function and of the archive meet these faults for a part of the time, all of it by default; then all is well again. */
  during(plan: FaultPlan, part?: number): Promise<void>;
  /** New containers for both functions: what they had in memory is gone. */
  renew(): Promise<void>;
  /** Ends the archive in the middle of what it does when it takes longer than this. Returns how to set it back. */
  limitArchive(seconds: number): Promise<() => Promise<void>>;
  /** Puts every kind of record that cannot be read into the stream, in every position among good ones. */
  poison(): Promise<void>;
  /** Ends the emulator, which saves its state, and starts it again. */
  restartEmulator(): Promise<void>;
}

/** One way in which things go wrong, and what is sent meanwhile. */
export interface Scenario {
  readonly summary: string;
  /** Of the proxy, by action and fault: each has to be met, or the scenario shows nothing. */
  readonly meets: readonly string[];
  readonly traffic?: Partial<Traffic>;
  /** Only on emulators whose data outlives a stop. */
  readonly needsKeptData?: true;
  /** Called when a tenth of the events is accepted; ends when the fault is over. */
  readonly fault: (control: FaultControl) => Promise<void>;
}

/** What a scenario was run with. */
export interface Size {
  readonly events: number;
  readonly senders: number;
  readonly faultSeconds: number;
}

/** What came of a scenario. */
export interface Outcome {
  readonly scenario: string;
  /** Events that a sender was told a receipt for. */
  readonly accepted: number;
  /** Requests that were answered otherwise, by status; `none` is a broken connection. */
  readonly refused: Readonly<Record<string, number>>;
  /** Events read back, from the vault through S3 and from their run over HTTP, both once. */
  readonly stored: number;
  /** Records that are named in quarantine. */
  readonly quarantined: number;
  /** Deliveries stored beyond the first of their event. */
  readonly duplicates: number;
  /** Lines of the vault beyond the first of their delivery: the index names one, so none of them is read twice. */
  readonly copies: number;
  /** Faults that calls met. */
  readonly faults: number;
  /** From the last acceptance, or the end of the fault if that was later, until all was read back. */
  readonly drainSeconds: number;
  readonly totalSeconds: number;
  /** What was lost, doubled or leaked; empty when the scenario holds. */
  readonly problems: readonly string[];
}
