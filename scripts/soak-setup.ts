import { configureGlobal } from 'fast-check';

configureGlobal({ numRuns: Number(process.env.SOAK_RUNS ?? 5_000) });
