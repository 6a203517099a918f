import {
  type AdministrationDependencies,
  administrationHandler,
  type Route,
} from '../shared/http/administration.ts';
import type { MethodTable } from '../shared/http/methods.ts';
import { listHolds, type RouteDependencies, releaseRun, setOnRun } from './routes.ts';

export interface HoldsDependencies extends AdministrationDependencies, RouteDependencies {}

const ROUTES = {
  '/api/v1/hold': {
    PUT: { scopes: ['hold'], handle: setOnRun },
    DELETE: { scopes: ['hold'], handle: releaseRun },
  },
  '/api/v1/holds': { GET: { scopes: ['hold', 'audit'], handle: listHolds } },
} satisfies MethodTable<'/api/v1/hold' | '/api/v1/holds', Route<RouteDependencies>>;

/** Sets, releases and lists legal holds. */
export function createHandler(dependencies: HoldsDependencies) {
  return administrationHandler(ROUTES, dependencies);
}
