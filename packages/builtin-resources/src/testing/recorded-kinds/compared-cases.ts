import type { KubeObject } from '@apiserver/apimachinery';
import type { VerbContext } from '@apiserver/apiserver-contracts';
import { partsOfObject } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { objectIn136, rowIn136 } from './exceptions.js';
import type { ColumnsCase, ConversionCase, DefaultsCase, ValidationCase } from './recorded-cases.js';
import { decoded, decodedInHub, RECORDED_AT, type ServedKind, shown } from './served-kinds.js';
import { recordedResult, SENT_KINDS, strategyResult } from './validation-results.js';

/** The actual and the recorded result of a case, in the same form, which should be equal. */
export interface ComparedCase {
  readonly actual: unknown;
  readonly recorded: unknown;
}

/** `contextOf` creates the context of a request for a kind of the group. */
export async function comparedValidation(
  served: ServedKind | undefined,
  one: ValidationCase,
  contextOf: (group: string) => VerbContext,
): Promise<ComparedCase> {
  const sentKind = SENT_KINDS[one.object.kind ?? ''];
  if (sentKind !== undefined) return { actual: sentKind(one), recorded: recordedResult(one) };
  if (served === undefined) throw new Error(`${one.object.kind} is not served`);
  const context = contextOf(served.version.schema.gvk.group);
  return { actual: await strategyResult(served, one, context), recorded: recordedResult(one) };
}

export function comparedDefaults(served: ServedKind, one: DefaultsCase): ComparedCase {
  const { object } = one;
  const { codec } = served;
  const actual = JSON.parse(Buffer.from(codec.encodeJson(decoded(served, object))).toString('utf8'));
  return { actual: essential(actual, object), recorded: essential(objectIn136(one.defaulted), object) };
}

export function comparedConversion(from: ServedKind, to: ServedKind, one: ConversionCase): ComparedCase {
  const { object, converted } = one;
  return {
    actual: essential(shown(to, decodedInHub(from, object)), object),
    recorded: essential(objectIn136(converted), object),
  };
}

/** Ages are compared by their format. The row of the decoded object, and of one that is read in parts. */
export function comparedRow(served: ServedKind, one: ColumnsCase): ComparedCase {
  const { object, conditions } = one;
  const { cells, relative } = rowIn136(one);
  const { definition } = served;
  const hub = decodedInHub(served, object);
  const row = (all: readonly unknown[]) =>
    all.map((cell, i) => (relative.includes(i) ? String(cell).replace(/\d+/g, '0') : cell));
  const { versions, hubVersion } = definition.storedAs ?? definition;
  const hubKind = versions.find(({ version }) => version === hubVersion)?.schema;
  const objects = [hub, ...(hubKind === undefined ? [] : [partsOfObject(hubKind, hub)])];
  const recorded = { cells: row(cells), conditions: conditions ?? [] };
  return {
    actual: objects.map((object) => ({
      cells: row(definition.columns.map((column) => column.cell(object, rowTime(RECORDED_AT)))),
      conditions: definition.rowConditions?.(object) ?? [],
    })),
    recorded: objects.map(() => recorded),
  };
}

/** Recorded objects omit an empty status that was not sent, and null creation timestamps. */
function essential(object: object, sent: KubeObject): unknown {
  const copy = withoutNullTimes(object) as Record<string, unknown>;
  if (!Object.hasOwn(sent, 'status') && JSON.stringify(copy['status']) === '{}') delete copy['status'];
  return withoutDefaultTimes(copy, JSON.stringify(sent));
}

/** The default time of a taint is that of the request. */
function withoutDefaultTimes(object: object, sent: string): unknown {
  const text = JSON.stringify(object);
  return JSON.parse(
    text.replace(/"timeAdded":"([^"]*)"/g, (all, time) => (sent.includes(time) ? all : '"timeAdded":0')),
  );
}

function withoutNullTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNullTimes);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name, member]) => name !== 'creationTimestamp' || member !== null);
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutNullTimes(member)]));
}
