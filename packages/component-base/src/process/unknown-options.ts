import { StartupError } from './startup-error.js';

/**
 * Throws a StartupError, or another error, that names the options that `known` lacks, and all known ones. A program in
 * JavaScript has no compiler that would find them. `of` is the called function.
 */
export function refuseUnknownOptions(
  of: string,
  options: object,
  known: Readonly<Record<string, unknown>>,
  Refusal: new (message: string) => Error = StartupError,
): void {
  const unknown = Object.keys(options).filter((name) => !Object.hasOwn(known, name));
  if (unknown.length === 0) return;
  const names = Object.keys(known).sort().join(', ');
  throw new Refusal(
    `unknown option${unknown.length === 1 ? '' : 's'} of ${of}: ${unknown.join(', ')} (known: ${names})`,
  );
}
