import { createClients } from '../../../localstack/clients.ts';
import type { Call } from './call.ts';
import { eventSourceCalls } from './event-source.ts';
import { functionCalls } from './functions.ts';
import { keyCalls } from './keys.ts';
import { objectCalls } from './objects.ts';
import { stateMachineCalls } from './state-machines.ts';
import { streamAndTableCalls } from './streams-and-tables.ts';

/** Every call, in the order of the script: later ones build on what earlier ones made. All of it under names of this run. */
export function differentialScript(endpointUrl: string): readonly Call[] {
  const clients = createClients(endpointUrl);
  const run = `differential-${Date.now()}`;
  return [
    ...objectCalls(clients, run),
    ...keyCalls(clients, run),
    ...streamAndTableCalls(clients, run),
    ...functionCalls(clients, run),
    ...eventSourceCalls(clients, endpointUrl, run),
    ...stateMachineCalls(endpointUrl, run),
  ];
}
