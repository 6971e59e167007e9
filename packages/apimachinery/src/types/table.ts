import type { Json } from './json.js';
import type { ListMeta } from './object-meta.js';

/** Objects rendered by the server as rows, for clients that only print them. */
export interface Table {
  kind: 'Table';
  apiVersion: string;
  metadata: ListMeta;
  columnDefinitions: TableColumnDefinition[];
  rows: TableRow[];
}

/** One column. `type` is an OpenAPI type; priority 0 is always shown, above only in wide output. */
export interface TableColumnDefinition {
  name: string;
  type: string;
  format: string;
  description: string;
  priority: number;
}

/** One row; `cells` are in the order of the column definitions. */
export interface TableRow {
  cells: Json[];
  conditions?: TableRowCondition[];
  /** The object that TableOptions.includeObject requested. */
  object?: unknown;
}

/** A note on a whole row, for example that a job has completed. */
export interface TableRowCondition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
}
