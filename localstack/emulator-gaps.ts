/** What MiniStack accepts without enforcing it, so that nobody takes a local pass for a proof; see docs/limits.md. */
export const EMULATOR_GAPS: readonly string[] = [
  'bucket policy conditions and TLS denials are not enforced (root keys bypass every policy)',
  'retain-until dates in the past are accepted',
  'API body limits, request validation and throttling are not enforced',
  'Kinesis never throttles, takes records up to 1 MiB and loses unread records on resharding',
  'Kinesis event source mappings are run by localstack/event-source, not by the emulator',
  'no metric comes of EMF logs or metric filters, so alarms never fire',
  'disabled KMS keys still encrypt for S3 and Kinesis',
];
