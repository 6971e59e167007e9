import { configureGlobal } from 'fast-check';

// Properties go on for as long as `npm run soak` has given each of them.
configureGlobal({
  numRuns: 1_000_000_000,
  interruptAfterTimeLimit: Number(process.env['SOAK_PROPERTY_SECONDS'] ?? 10) * 1000,
  seed: Number(process.env['SOAK_SEED'] ?? Date.now()) | 0,
});
