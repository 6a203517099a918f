#!/usr/bin/env node
// The command line in any folder and with any Node: an old one gets a sentence, a new one the TypeScript program.
import '../localstack/check-node.mjs';
import { register } from 'tsx/esm/api';

register();
await import('./evidence.ts');
