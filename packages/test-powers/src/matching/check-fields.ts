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
    if (!Number.isSafeInteger(value) || Number(value) < least)
      throw fieldError(path, `must be an integer from ${least} on`);
  };
}

export const text: FieldCheck = (value, path) => {
  if (typeof value !== 'string') throw fieldError(path, 'must be a string');
};

/** A pattern, or a list of which one must match. */
export const pattern: FieldCheck = (value, path) => {
  if (!isPattern(value)) throw fieldError(path, 'must be a string or a list of strings');
};

function isPattern(value: unknown): value is TextPattern {
  return typeof value === 'string' || (Array.isArray(value) && value.every((each) => typeof each === 'string'));
}

/** The checks of a selector's fields. */
export const selectorChecks: Readonly<Record<keyof RequestSelector, FieldCheck>> = {
  verb: pattern,
  resource: pattern,
  group: pattern,
  version: pattern,
  namespace: pattern,
  name: pattern,
  user: pattern,
  path: pattern,
};
