import { chosenEmulator } from './emulators/emulators.ts';
import { runEntryPoint } from './errors.ts';

// Ahead of the first start, while something else is done: LocalStack takes two minutes.
await runEntryPoint(async () => {
  await chosenEmulator().install();
});
