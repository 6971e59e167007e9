import { refuseUnknownOptions, StartupError } from '@apiserver/component-base/process';
import type { ApiServerOptions } from './api-server-options.js';

/** The wanted form of an option, in words and as a function. */
type Shape = readonly [name: string, accepts: (value: unknown) => boolean];

const OPTIONAL: Shape = ['anything', () => true];

/** All names, so that the compiler refuses an option that is not here. */
const known: Readonly<Record<keyof ApiServerOptions, Shape>> = {
  groups: ['a list of groups with resources', (value) => Array.isArray(value) && value.every(hasResources)],
  storage: ['an open KeyValueStore', (value) => hasMethod(value, 'watch')],
  authentication: ['an Authenticator, or options that apply one', isApplierOr('authenticateRequest')],
  authorization: ['an Authorizer, or options that apply one', isApplierOr('authorize')],
  name: OPTIONAL,
  logger: OPTIONAL,
  serving: OPTIONAL,
  admission: OPTIONAL,
  configure: OPTIONAL,
  extend: OPTIONAL,
};

/**
 * Throws a StartupError for an unknown option, and for one without which requests would fail later. A program in
 * JavaScript has no compiler that would find them.
 */
export function checkOptions(options: ApiServerOptions): void {
  const given: Readonly<Record<string, unknown>> = Object(options);
  refuseUnknownOptions('createApiServer', given, known);
  for (const [name, [wanted, accepts]] of Object.entries(known)) {
    const value = given[name];
    const isLeftOut = value === undefined && name !== 'groups' && name !== 'storage';
    if (!isLeftOut && !accepts(value)) throw new StartupError(`${name}: must be ${wanted}`);
  }
}

function hasResources(group: unknown): boolean {
  return Array.isArray(Object(group)['resources']);
}

function isApplierOr(method: string): (value: unknown) => boolean {
  return (value) => hasMethod(value, method) || hasMethod(value, 'applyTo');
}

function hasMethod(value: unknown, name: string): boolean {
  return typeof Object(value)[name] === 'function';
}
