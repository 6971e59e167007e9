import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '@apiserver/apimachinery';
import type { FieldErrorType } from '@apiserver/apimachinery/field';

/** The results of upstream's packages, which are not part of the repository. */
const FOLDER = join(import.meta.dirname, '../../../../../../shared/oracles/kinds');

/** True if the recorded results are available. */
export const areCasesThere: boolean = existsSync(FOLDER);

/** One error as it was recorded. */
export interface RecordedError {
  readonly type: FieldErrorType;
  readonly field: string;
  readonly message: string;
  /** The message of 1.36, if it is known to differ. */
  readonly message136?: string;
  /** True if further lines were omitted. */
  readonly cut?: boolean;
}

/** A case of any file. */
export interface RecordedCase {
  readonly id: string;
  readonly object: KubeObject;
}

/** The errors of validation for an object, or its warnings on create. */
export interface ValidationCase extends RecordedCase {
  readonly op: 'create' | 'update' | 'status' | 'resize' | 'ephemeralcontainers' | 'finalize' | 'warnings';
  readonly oldObject?: KubeObject;
  readonly errors?: readonly RecordedError[];
  readonly warnings?: readonly string[];
  /** The recorded result is complete only below this path. */
  readonly only?: string;
  /** The reason why 1.36 differs. */
  readonly in136?: string;
}

/** An object with the defaults of its version. */
export interface DefaultsCase extends RecordedCase {
  readonly defaulted: KubeObject;
}

/** An object in another version (`group/version`, or the core group's version alone). */
export interface ConversionCase extends RecordedCase {
  readonly to: string;
  readonly converted: KubeObject;
}

/** An object's row of a table. */
export interface ColumnsCase extends RecordedCase {
  readonly cells: readonly unknown[];
  readonly conditions?: readonly unknown[];
  /** Indexes of cells with a time before now. */
  readonly relative?: readonly number[];
}

/** A recorded column, without its description. */
export interface RecordedColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly priority: number;
}

/** All recorded cases; empty if they are absent. */
export interface RecordedKinds {
  readonly validation: readonly ValidationCase[];
  readonly defaults: readonly DefaultsCase[];
  readonly conversion: readonly ConversionCase[];
  readonly rows: readonly ColumnsCase[];
  /** Columns by `apiVersion/kind`. */
  readonly columns: Readonly<Record<string, readonly RecordedColumn[]>>;
}

/** Reads the recorded results. */
export function recordedKinds(): RecordedKinds {
  const { cases: rows, columns } = read('columns');
  return {
    validation: read('validation').cases,
    defaults: read('defaults').cases,
    conversion: read('conversion').cases,
    rows,
    columns,
  };
}

function read(name: string) {
  if (!areCasesThere) return { cases: [], columns: {} };
  return JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8'));
}
