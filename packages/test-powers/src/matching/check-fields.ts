import { isMembers } from '@apiserver/apimachinery/json';
import { ControlPlaneError } from '../control-plane-error.js';
import type { RequestSelector } from './request-selector.js';
import type { TextPattern } from './text-pattern.js';

/** A check of one field's value; it throws a ControlPlaneError that begins with the path. */
export type FieldCheck = (value: unknown, path: string) => void;

/** The error of a field. */
export function fieldError(path: string, problem: string): ControlPlaneError {
  return new ControlPlaneError(`${path}: ${problem}`);
}

/** Throws unless the value is an object with only these fields, each of which passes its check. */
export function checkFields(value: unknown, path: string, checks: Readonly<Record<string, FieldCheck>>): void {
  if (!isMembers(value)) throw fieldError(path, 'must be an object');
  for (const [name, member] of Object.entries(value)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (check === undefined) {
      throw fieldError(`${path}.${name}`, `unknown field (known: ${Object.keys(checks).sort().join(', ')})`);
    }
    if (member !== undefined) check(member, `${path}.${name}`);
  }
}

/** One of these values. */
export function oneOf(...values: readonly unknown[]): FieldCheck {
  return (value, path) => {
    if (values.includes(value)) return;
    throw fieldError(path, `must be ${values.map((each) => JSON.stringify(each)).join(' or ')}`);
  };
}

/** An integer from `least` on. */
export function integer(least: number): FieldCheck {
  return (value, path) => {
    if (!Number.isSafeInteger(value) || Number(value) < least) {
      throw fieldError(path, `must be an integer from ${least} on`);
    }
  };
}

/** A string. */
export const text: FieldCheck = (value, path) => {
  if (typeof value !== 'string') throw fieldError(path, 'must be a string');
};

/** A list of strings. */
export const texts: FieldCheck = (value, path) => {
  if (!isTexts(value)) throw fieldError(path, 'must be a list of strings');
};

/** A pattern, or a list of which one must match. */
export const pattern: FieldCheck = (value, path) => {
  if (!isPattern(value)) throw fieldError(path, 'must be a string or a list of strings');
};

function isPattern(value: unknown): value is TextPattern {
  return typeof value === 'string' || isTexts(value);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

/**
 * Verbs of resources, and methods of other paths.
 * Upstream: RequestInfoFactory of k8s.io/apiserver/pkg/endpoints/request
 */
const verbs: ReadonlySet<string> = new Set([
  ...['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection', 'proxy'],
  ...['head', 'post', 'put', 'options', 'connect', 'trace'],
]);

/** A verb that does not exist would never match. */
const verb: FieldCheck = (value, path) => {
  if (!isPattern(value)) throw fieldError(path, 'must be a string or a list of strings');
  const unknown = [value].flat().find((each) => !each.includes('*') && !verbs.has(each));
  if (unknown === undefined) return;
  throw fieldError(path, `${JSON.stringify(unknown)} is no verb (known: ${[...verbs].join(', ')})`);
};

/** The checks of a selector's fields. */
export const selectorChecks: Readonly<Record<keyof RequestSelector, FieldCheck>> = {
  verb,
  resource: pattern,
  group: pattern,
  version: pattern,
  namespace: pattern,
  name: pattern,
  user: pattern,
  path: pattern,
};
