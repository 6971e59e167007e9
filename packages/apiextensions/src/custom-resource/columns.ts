import type { CustomResourceColumnDefinition, CustomResourceSubresourceScale } from '@apiserver/api/apiextensions/v1';
import { stringifyJson } from '@apiserver/apimachinery/codec/json';
import { printFloat } from '@apiserver/apimachinery/field';
import { isParseError } from '@apiserver/apimachinery/text';
import { parseTime } from '@apiserver/apimachinery/values';
import type { Column, RowTime } from '@apiserver/apiserver-contracts';
import {
  findJsonPath,
  isFloat,
  type JsonPath,
  nameColumn,
  newPathBudget,
  type PathBudget,
  parseJsonPath,
  TypedNumber,
} from '@apiserver/resource-kit';

/** The default column of a version. */
const AGE_PATH = '.metadata.creationTimestamp';
const defaultColumn: Column = {
  name: 'Age',
  type: 'date',
  format: '',
  description: '',
  describedBy: { definition: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', field: 'creationTimestamp' },
  priority: 0,
  cell: cellOf('date', parseJsonPath(AGE_PATH)),
};

/**
 * The columns of a version of a custom resource. If a path does not parse, only the name column remains, as upstream.
 * `apiVersion` is what paths find in objects that are kept in another version.
 *
 * Upstream: k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor
 */
export function customColumns(
  declared: readonly CustomResourceColumnDefinition[] | undefined,
  apiVersion?: string,
): readonly Column[] {
  if (declared === undefined || declared.length === 0) return [nameColumn, defaultColumn];
  const columns: Column[] = [nameColumn];
  // The cells of a row share a budget. They are computed in their order.
  let budget = newPathBudget();
  for (const { name, type, format, description, priority, jsonPath } of declared) {
    const path = parsed(jsonPath);
    if (path === undefined) return columns;
    const isFirst = columns.length === 1;
    const cell = cellOf(type, path, () => {
      if (isFirst) budget = newPathBudget();
      return budget;
    });
    columns.push({
      name,
      type,
      format: format ?? '',
      description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
      priority: priority ?? 0,
      cell: apiVersion === undefined ? cell : (object, now) => cell({ ...object, apiVersion }, now),
    });
  }
  return columns;
}

/**
 * The columns of a custom resource's scale.
 *
 * Upstream: getScaleColumnsForVersion of k8s.io/apiextensions-apiserver/pkg/apiserver/helpers.go
 */
export function scaleColumns({
  specReplicasPath,
  statusReplicasPath,
}: CustomResourceSubresourceScale): readonly Column[] {
  const count = (name: string, description: string, path: string): Column => ({
    name,
    type: 'integer',
    format: '',
    description,
    priority: 0,
    cell: cellOf('integer', parseJsonPath(path)),
  });
  return [
    nameColumn,
    ...(specReplicasPath === '' ? [] : [count('Desired', 'Number of desired replicas', '.spec.replicas')]),
    ...(statusReplicasPath === '' ? [] : [count('Available', 'Number of actual replicas', '.status.replicas')]),
    defaultColumn,
  ];
}

function parsed(jsonPath: string): JsonPath | undefined {
  try {
    return parseJsonPath(jsonPath);
  } catch (error) {
    if (isParseError(error)) return undefined;
    throw error;
  }
}

/** A cell is empty when the budget is spent. */
function cellOf(type: string, path: JsonPath, budgetOf: () => PathBudget = newPathBudget): Column['cell'] {
  return (object, now) => {
    const values = findJsonPath(object, path, budgetOf());
    return values.length === 0 ? null : cellFor(type, values[0], now);
  };
}

/** Formats a value for a column of the given type; null if it does not match. Upstream: cellForJSONValue */
function cellFor(type: string, value: unknown, now: RowTime): unknown {
  switch (type) {
    case 'integer':
      return integerOf(jsonNumberOf(value));
    case 'number': {
      const number = jsonNumberOf(value);
      return number === undefined ? null : Number(number);
    }
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'string':
      return textOf(value);
    case 'date':
      return typeof value === 'string' ? ageOf(value, now) : null;
    default:
      return null;
  }
}

/** Of the numbers in an expression, only doubles have a type that objects have too. */
function jsonNumberOf(value: unknown): number | bigint | undefined {
  if (value instanceof TypedNumber) return value.kind === 'float' ? value.value : undefined;
  return typeof value === 'number' || typeof value === 'bigint' ? value : undefined;
}

const MIN_INT64 = -(2n ** 63n);

/** A double outside the 64-bit integers becomes the smallest one, as on amd64. */
function integerOf(value: number | bigint | undefined): number | bigint | null {
  if (value === undefined || typeof value === 'bigint') return value ?? null;
  const whole = Math.trunc(value);
  if (Number.isSafeInteger(whole)) return whole;
  const integer = BigInt(whole);
  return BigInt.asIntN(64, integer) === integer ? integer : MIN_INT64;
}

/** Upstream: PrintResults of k8s.io/client-go/util/jsonpath */
function textOf(value: unknown): string {
  if (value instanceof TypedNumber) return value.kind === 'float' ? printFloat(value.value) : String(value.value);
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
      return isFloat(value) ? printFloat(value) : String(value);
    case 'object':
      return value === null ? '<no value>' : stringifyJson(value);
    default:
      return String(value);
  }
}

function ageOf(text: string, now: RowTime): string {
  if (text === '' || text === 'null') return '<unknown>';
  try {
    const time = parseTime(text);
    return time === null ? '<unknown>' : now.since(Date.parse(time));
  } catch (error) {
    if (isParseError(error)) return '<invalid>';
    throw error;
  }
}
