import { StartupError } from '@apiserver/component-base/process';

/**
 * Throws a StartupError where the environment of a test, such as jsdom, has replaced Node's classes with those of a
 * browser: a server then takes no Buffer for bytes.
 */
export function checkNodeGlobals(): void {
  if (Buffer.alloc(0) instanceof Uint8Array) return;
  throw new StartupError(
    'the environment has replaced the Uint8Array of Node, as jsdom does: run a test with a server in the environment "node" (vitest: // @vitest-environment node)',
  );
}
