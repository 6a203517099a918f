import { Duration } from 'aws-cdk-lib';
import { Schedule } from 'aws-cdk-lib/aws-events';
import type { Construct } from 'constructs';
import type { EnvironmentConfig } from '../config/environment-config.ts';
import { type ControlProps, ScheduledControl } from './scheduled-control.ts';

/** Between an interval's close and its digest: a run that finds nothing to seal lists three times and reads the head. */
const LONGEST_PAUSE_MINUTES = 5;

/** One vCPU, and room for the objects in flight and the leaves of an interval with millions of records. */
const MEMORY_MIB = 1769;

/** Folders get late objects for as long as a record may wait in the stream or in staging, and a day for the edges. */
const EDGE_DAYS = 1;

/** Seals each interval with a signed digest. */
export class Sealer extends ScheduledControl {
  constructor(scope: Construct, id: string, props: ControlProps) {
    const { config, resources } = props;
    const { intervalMinutes, closeAfterSeconds, anchorTopicArn } = config.sealing;
    const { lineage, signing, staging, traces, vault } = resources;
    const streamDays = Math.ceil(config.streams.retentionHours / 24);
    super(scope, id, {
      ...props,
      functionId: 'Seal',
      folder: 'seal',
      memorySize: MEMORY_MIB,
      roleName: signing.role.roleName,
      // a second sealer does no harm and no good: it loses each race
      ...(config.reservedConcurrency && { reservedConcurrency: 1 }),
      environment: {
        SEAL_INTERVAL_MINUTES: `${intervalMinutes}`,
        SEAL_CLOSE_AFTER_SECONDS: `${closeAfterSeconds}`,
        SEAL_FOLDER_DAYS: `${streamDays + config.stagingDays + EDGE_DAYS}`,
        SIGNING_KEY_IDS: signing.keys.map(({ keyId }) => keyId).join(','),
        SEAL_GRACE_MINUTES: `${config.sealing.graceMinutes}`,
        LINEAGE_STREAM_NAME: lineage.stream.streamName,
        TRACES_STREAM_NAME: traces.stream.streamName,
        STAGING_BUCKET_NAME: staging.bucket.bucketName,
        OWN_KEY_ARNS: [vault.key, staging.key].map(({ keyArn }) => keyArn).join(','),
        SEAL_ANCHOR: anchorTopicArn ?? 'unanchored',
      },
      writes: ['digests', 'publicKeys', 'findings'],
      schedule: Schedule.rate(Duration.minutes(pauseMinutes(config))),
      description: 'Seals every interval that has closed',
    });
    vault.grantList(this.control);
    vault.grantReadAll(this.control);
    for (const stream of [lineage, traces]) stream.grantCount(this.control);
    staging.grantList(this.control);
    staging.grantReadVersions(this.control);
    if (anchorTopicArn) this.control.allow(['sns:Publish'], [anchorTopicArn]);
  }
}

function pauseMinutes({ sealing }: EnvironmentConfig): number {
  return Math.min(sealing.intervalMinutes, LONGEST_PAUSE_MINUTES);
}

/** A head that ends longer ago than two intervals, their close and one pause: digests are missing. */
export function overdueSeconds({ sealing }: EnvironmentConfig): number {
  const { intervalMinutes, closeAfterSeconds } = sealing;
  return (2 * intervalMinutes + LONGEST_PAUSE_MINUTES) * 60 + closeAfterSeconds;
}
