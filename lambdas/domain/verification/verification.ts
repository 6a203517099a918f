import type { GuardSetting } from '../audit/guard-policy.ts';
import { auditGuards } from '../audit/guards.ts';
import type { AuditInterval } from '../audit/population.ts';
import type { GuardReader } from '../audit/ports.ts';
import { AccessDeniedError } from '../errors.ts';
import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import { hourOf } from '../evidence/hour-shard.ts';
import type { VersionInspector } from '../evidence/ports.ts';
import { DAY_MILLIS } from '../evidence/retention.ts';
import { VaultListing, within } from '../integrity/seal-listing.ts';
import { Suspects } from '../integrity/verify-moves.ts';
import { type ListedObject, readWhole, type SealedStore } from '../integrity/verify-store.ts';
import { checkPlaces, listChain } from './chain-names.ts';
import { ExtraObjects, type FolderGroup, folderGroups } from './extra-objects.ts';
import { Rehash } from './rehash.ts';
import { checkReportTimes } from './report-times.ts';
import { advance, dayOf, dueSlices, retry } from './slices.ts';
import { FoundDamage, type VerificationReport, verificationReport } from './verification-report.ts';
import { type VerifiedHead, type WalkAhead, walkAhead } from './walk-ahead.ts';

export interface VerificationDependencies {
  readonly store: SealedStore;
  readonly inspector: VersionInspector;
  readonly guardReader: GuardReader;
  readonly guards: GuardSetting;
  /** Days in which everything that is sealed is read once. */
  readonly periodDays: number;
}

/** How long the sealer may take beyond the intervals themselves. */
const SEALING_GRACE_MILLIS = 10 * 60_000;
/** An object waits for the end of its interval, and then for the next run of the sealer. */
const INTERVALS_UNTIL_SEALED = 2;
/** The chain is walked on in this part of the time, so that the slices have theirs. */
const WALK_SHARE = 0.5;
/** A thousand findings of the run before are a megabyte. */
const MAX_REPORT_BYTES = 64 * 1024 * 1024;

/**
 * Verifies the vault as of an instant: proves the chain on from the head proven last, reads the slices that are due, and
 * looks whether digests, reports and guards are all there.
 * @param remaining the part of the time that is left, from 1 down to 0
 * @throws UnavailableError when a service does not answer: nothing is said of the vault then
 */
export async function verifyVault(
  interval: AuditInterval,
  remaining: () => number,
  dependencies: VerificationDependencies,
): Promise<VerificationReport> {
  const { store, guards: setting, guardReader, periodDays } = dependencies;
  const asOf = Date.parse(interval.asOf);
  const found = new FoundDamage();
  const report = found.add;
  const suspects = new Suspects(report);
  const unreadable: string[] = [];
  const looking = async <T>(what: string, look: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await look();
    } catch (error) {
      if (!(error instanceof AccessDeniedError)) throw error;
      unreadable.push(what);
      return undefined;
    }
  };

  const before = await looking('reports/verify/', () => lastReport(store));
  const resume = before?.resume;
  const watchedSince = resume?.watchedSince ?? interval.asOf;
  const reports = await looking('reports/', () =>
    checkReportTimes(store, {
      ...{ asOf: interval.asOf, watchedSince },
      since: resume?.reportsSince ?? {},
    }),
  );

  let known = resume?.chain;
  const names = await looking('digests/', () => listChain(store, known?.head.key, report));
  if (known && names) {
    const { first, head, signers } = known;
    const places = { first, head: head.key, signers, asOfMillis: asOf };
    const begun = await looking('digests/', () =>
      checkPlaces(names.documents, places, store, report),
    );
    known = { ...known, ...begun };
  }
  const settledMillis = asOf - SEALING_GRACE_MILLIS;
  const walked: WalkAhead | undefined =
    names &&
    (await looking('digests/', () =>
      walkAhead(names.ahead, known, {
        ...{ store, report, asOfMillis: asOf, settledMillis },
        hasTime: () => remaining() > 1 - WALK_SHARE,
      }),
    ));
  const chain = walked?.state ?? known;
  if (chain && walked?.isAtEnd) {
    await looking('digests/', () => checkTail(chain.head, settledMillis, dependencies, report));
  }

  const due = dueSlices(resume?.slices, dayOf(asOf), periodDays);
  const documents = (names?.documents ?? []).filter(({ key }) => chain && key <= chain.head.key);
  const rehash = new Rehash(store, {
    ...{ signers: chain?.signers ?? [], report, suspects, asOfMillis: asOf },
  });
  const extra = new ExtraObjects(store, {
    ...{ documents, headTo: chain?.head.to ?? interval.asOf, report, suspects },
    isBegunLate: chain?.begin !== undefined,
  });
  let finished: string | undefined;
  let isFinished = true;
  let folders = 0;
  for (const group of await unitsOf(documents, dependencies, looking)) {
    if (due.after !== undefined && group.name <= due.after) continue;
    if (remaining() <= 0) {
      isFinished = false;
      break;
    }
    for (const { key } of group.documents.filter((document) => due.includes(document.key))) {
      await looking(key, () => rehash.check(key));
    }
    if (chain && due.includes(group.name)) {
      folders += group.prefixes.length;
      await looking(group.name, () => extra.look(group));
    }
    finished = group.name;
  }
  suspects.resolve();
  const slices = !isFinished
    ? advance(due, finished ?? due.after ?? '')
    : unreadable.length > 0
      ? retry(due)
      : advance(due, undefined);

  return verificationReport(
    interval,
    {
      chain: {
        listed: names?.documents.length ?? 0,
        walked: walked?.digests ?? 0,
        isAtEnd: walked?.isAtEnd ?? false,
      },
      slices: {
        ...{ periodDays, from: dateOf(due.from), to: dateOf(due.to), isFinished },
        behindDays: Math.max(0, dayOf(asOf) - slices.through),
      },
      checked: { ...rehash.done, folders, versions: extra.versions },
      reports: reports?.seen ?? {},
      unreadable: [...new Set(unreadable)],
      damages: found.counts,
      resume: {
        ...(chain && { chain }),
        ...{ slices, watchedSince },
        reportsSince: reports?.since ?? resume?.reportsSince ?? {},
      },
      named: found.named,
      gaps: reports?.gaps ?? [],
      guards: await auditGuards(setting, guardReader),
      bucketName: setting.bucketName,
    },
    before,
  );
}

/** The report that the run before left, unless that is not one: its damage is found where digests are read. */
async function lastReport(store: SealedStore): Promise<VerificationReport | undefined> {
  let last: ListedObject | undefined;
  for await (const listed of store.list(`${EvidencePrefix.reports}verify/`)) {
    // Of several versions the first is ours, which S3 lists last.
    if (!listed.deleteMarker) last = listed;
  }
  const opened = last && (await store.open(last.key, last.versionId));
  const bytes = opened && (await readWhole(opened, MAX_REPORT_BYTES));
  if (!bytes) return undefined;
  try {
    const value = JSON.parse(bytes.toString()) as Partial<VerificationReport>;
    return value.kind === 'verify' && value.resume ? (value as VerificationReport) : undefined;
  } catch {
    return undefined;
  }
}

/** Digests of a day and the folders of that day, in the order of their names. */
async function unitsOf(
  documents: readonly ListedObject[],
  { inspector, store, guards }: VerificationDependencies,
  looking: (what: string, look: () => Promise<FolderGroup[]>) => Promise<FolderGroup[] | undefined>,
) {
  const bucket = store.bucket ?? guards.bucketName;
  const units = new Map<string, { prefixes: readonly string[]; documents: ListedObject[] }>();
  for (const { name, prefixes } of (await looking('folders', () =>
    folderGroups(inspector, bucket),
  )) ?? []) {
    units.set(name, { prefixes, documents: [] });
  }
  for (const document of documents) {
    const name = `${document.key.split('/')[1]}/`;
    const unit = units.get(name) ?? { prefixes: [], documents: [] };
    unit.documents.push(document);
    units.set(name, unit);
  }
  return [...units]
    .map(([name, unit]) => ({ name, ...unit }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Reports what landed after the last digest and should be sealed by now: of a day at most, by its first object. */
async function checkTail(
  { from, to }: VerifiedHead,
  settledMillis: number,
  { inspector, guards }: VerificationDependencies,
  report: FoundDamage['add'],
): Promise<void> {
  const begin = Date.parse(to);
  const dueMillis = settledMillis - INTERVALS_UNTIL_SEALED * (begin - Date.parse(from));
  const tail = { from: begin, to: Math.min(dueMillis, begin + DAY_MILLIS) };
  if (tail.to <= tail.from) return;
  const listed = await new VaultListing(inspector, guards.bucketName).near(tail);
  const landed = listed.filter((version) => within(tail, version));
  const [first] = landed.sort((a, b) => (a.lastModified < b.lastModified ? -1 : 1));
  if (!first) return;
  const detail = `it is the first of ${landed.length} objects behind the head, which ends at ${to}`;
  report({ kind: 'unsealed_tail', key: first.key, versionId: first.versionId, detail });
}

function dateOf(day: number): string {
  return hourOf(day * DAY_MILLIS).slice(0, 10);
}
