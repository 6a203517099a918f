import type { ChangeDependencies } from '../domain/producers/commit-change.ts';
import type { Scope } from '../domain/producers/registration.ts';
import {
  type AdministrationDependencies,
  administrationHandler,
  type Route,
} from '../shared/http/administration.ts';
import type { MethodTable } from '../shared/http/methods.ts';
import { addProducer, changeProducer, listProducers, showProducer } from './routes.ts';

export interface ProducersDependencies extends AdministrationDependencies, ChangeDependencies {}

/** `admin` may look at everything that it may change. */
const LOOK: readonly Scope[] = ['read', 'admin'];
const CHANGE: readonly Scope[] = ['admin'];

const ROUTES = {
  '/api/v1/producers': {
    GET: { scopes: LOOK, handle: listProducers },
    POST: { scopes: CHANGE, handle: addProducer },
  },
  '/api/v1/producers/{producerId}': {
    GET: { scopes: LOOK, handle: showProducer },
    PATCH: { scopes: CHANGE, handle: changeProducer },
  },
} satisfies MethodTable<
  '/api/v1/producers' | '/api/v1/producers/{producerId}',
  Route<ChangeDependencies>
>;

/** Registers producers, changes them and shows them; a key is in one answer only. */
export function createHandler(dependencies: ProducersDependencies) {
  return administrationHandler(ROUTES, dependencies);
}
