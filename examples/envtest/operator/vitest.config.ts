import { defineConfig } from 'vitest/config';

/** A test may wait longer than a single `eventually` does. */
// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default defineConfig({ test: { testTimeout: 30_000 } });
