import { isDeepStrictEqual } from 'node:util';
import type { Bench } from './bench.ts';
import type { Check } from './check.ts';
import type { Call } from './iam-gateway.ts';
import { covers, type FunctionName, type Right } from './roles.ts';

/** What is wrong with the rights of a function. All empty: it has what it needs, and needs what it has. */
export interface Proof {
  /** Checks that fail with all rights, and what a check was refused. */
  readonly broken: readonly string[];
  /** Rights that no check asks for. */
  readonly unused: readonly string[];
  /** Rights without which everything goes on as before. */
  readonly idle: readonly string[];
}

/**
 * Runs the checks of a function with all of its rights, then takes the rights away, one at a time, and runs a check
 * that asked for it: it has to be denied, and to fail. Folders of a bucket have to be asked for one by one, and are taken
 * away together.
 * @param declared rights that are used in the function's name by Lambda itself, which no check can see
 */
export async function proveRights(
  fn: FunctionName,
  checks: readonly Check[],
  declared: readonly Right[],
  bench: Bench,
): Promise<Proof> {
  const role = bench.roleOf(fn);
  const isDeclared = (right: Right) => declared.some((one) => isDeepStrictEqual(one, right));
  const rights = role.rights.filter((right) => !isDeclared(right));
  const used = new Set<Right>();
  const asking = new Map<string, Asking[]>();
  const broken: string[] = [];
  let last: Check | undefined;

  for (const check of checks) {
    await bench.restart(fn, check.variables);
    // what is asked for again when nothing is new to the function can be taken away without a restart
    for (const warm of [false, true]) {
      await check.prepare?.();
      if (!warm) await bench.restart(fn, check.variables);
      const { calls, error } = await attempt(check, fn, bench);
      if (error !== undefined) broken.push(`${check.name}: ${error}`);
      const refused = calls.filter(({ refused }) => refused);
      broken.push(
        ...refused.map((call) => `${check.name}: refused ${call.action} ${call.resource}`),
      );
      for (const right of rights) {
        if (!calls.some((call) => !call.denied && covers(right, call))) continue;
        used.add(right);
        note(asking, groupOf(right), { check, warm });
      }
    }
  }

  const idle: string[] = [];
  for (const [group, candidates] of asking) {
    const withdrawn = rights.filter((right) => groupOf(right) === group);
    let isMissed = false;
    for (const { check, warm } of candidates) {
      if (check !== last) await bench.restart(fn, check.variables);
      last = check;
      await check.prepare?.();
      // what makes ready may use the function as well
      if (!warm) await bench.restart(fn, check.variables);
      await role.withdraw(withdrawn);
      const { calls, error } = await attempt(check, fn, bench);
      await role.restore();
      isMissed =
        error !== undefined &&
        calls.some((call) => call.denied && withdrawn.some((right) => covers(right, call)));
      if (isMissed) break;
    }
    if (!isMissed) idle.push(group);
  }
  return { broken, unused: rights.filter((right) => !used.has(right)).map(nameOf), idle };
}

/** A check that asks for a right, also when the function has run before. */
interface Asking {
  readonly check: Check;
  readonly warm: boolean;
}

/** The cheapest first: what is asked for by a warm function needs no restart. */
function note(asking: Map<string, Asking[]>, group: string, { check, warm }: Asking): void {
  const others = (asking.get(group) ?? []).filter((one) => one.check !== check);
  asking.set(group, warm ? [{ check, warm }, ...others] : [...others, { check, warm }]);
}

async function attempt(
  check: Check,
  fn: FunctionName,
  { gateway }: Bench,
): Promise<{ readonly calls: readonly Call[]; readonly error?: unknown }> {
  gateway.take();
  const outcome = await check.run().then(
    () => ({}),
    (error: unknown) => ({ error }),
  );
  return { calls: gateway.take().filter(({ caller }) => caller === fn), ...outcome };
}

const nameOf = ({ action, pattern }: Right) => `${action} ${pattern}`;

/** An action on a resource; the folders of a bucket are one. */
const groupOf = ({ action, pattern }: Right) => `${action} ${pattern.replace(/\/.*\/\*$/, '/*')}`;
