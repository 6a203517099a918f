/** What `EMULATOR` may name. */
export const EMULATOR_NAMES = ['ministack', 'localstack', 'localstack-docker'] as const;
export type EmulatorName = (typeof EMULATOR_NAMES)[number];

/** How an emulator is started: in its data folder, with this environment and no other. */
export interface Launch {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** One of the emulators that the stacks can be deployed on. Everything that differs between them is said here. */
export interface EmulatorKind {
  readonly name: EmulatorName;
  readonly version: string;
  /** What it accepts without enforcing it, so that nobody takes a local pass for a proof; see docs/limits.md. */
  readonly gaps: readonly string[];
  /** Whether its data outlives a stop. */
  readonly keepsData: boolean;
  /** Whether it polls Kinesis as its event source mappings say; else the runner of localstack/event-source does. */
  readonly pollsKinesis: boolean;
  /** Resource types that its CloudFormation reports as created and does not create. */
  readonly pretendedTypes: readonly string[];
  /** Answers 200 when it is ready. */
  readonly healthPath: string;
  /** Installs it where it is not yet. Returns the program that starts it. Throws a UserError that says what is missing. */
  install(): Promise<string>;
  /** Prepares its data folder, and says how it is started there. */
  launch(dataDir: string, port: number): Launch;
}
