import { formatGroupVersion, type Json, type KubeObject } from '@apiserver/apimachinery';
import { TimeSlice } from '@apiserver/apimachinery/clock';
import { parseJsonValue, stringifyJson } from '@apiserver/apimachinery/codec/json';
import { encodeYaml } from '@apiserver/apimachinery/codec/yaml';
import { newBadRequest } from '@apiserver/apimachinery/errors';
import { fieldErrorMessage } from '@apiserver/apimachinery/field';
import { validateTableOptions } from '@apiserver/apimachinery/validation';
import type { Column, StoredList, StoredObject, WireForm } from '@apiserver/apiserver-contracts';
import type { TransformTarget } from '../negotiation/negotiate-output.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';
import { readOnce, readParts } from '../scope/object-form.js';
import { typedListMeta } from '../semantics/list-meta.js';
import { type MetadataForm, metadataForm } from './metadata-form.js';
import type { Piece } from './pieces.js';
import type { ResponseView } from './response-view.js';
import { MarkedTime, TableRow } from './table-row.js';

/** Clients must see the end of the initial events. Upstream: HasInitialEventsEndBookmarkAnnotation */
function endsInitialEvents({ metadata }: KubeObject): boolean {
  return metadata.annotations?.['k8s.io/initial-events-end'] === 'true';
}

const MAX_SORTED_ROWS = 1_000;
/** Ends a row, and separates it from the next one. */
const ROW_END = '},';
const NULL = Buffer.from('null');
/** Ends the object that a row shows in place of its own. */
const METADATA_END = Buffer.from('}');
const NOTHING: Buffer = Buffer.alloc(0);

const rowForms = new WeakMap<EndpointScope, WireForm>();

/** The form in which stores keep the rows of an endpoint. They know it by its identity. */
function rowFormOf(scope: EndpointScope): WireForm {
  let form = rowForms.get(scope);
  if (form === undefined) {
    form = { contentType: 'application/octet-stream', group: 'meta.k8s.io', version: 'v1', kind: 'TableRow' };
    rowForms.set(scope, form);
  }
  return form;
}

/**
 * Objects as rows of a Table. Throws a 400 for an unknown includeObject in the query.
 *
 * Upstream: k8s.io/apiserver/pkg/endpoints/handlers/response.go
 */
export function createTableView(scope: EndpointScope, target: TransformTarget, query: URLSearchParams): ResponseView {
  const includeObject = query.get('includeObject') ?? '';
  const [problem] = validateTableOptions({ includeObject });
  if (problem !== undefined) {
    throw newBadRequest(`Unable to convert to Table as requested: ${fieldErrorMessage(problem)}`);
  }
  return tableView(new TableWriter(scope, formatGroupVersion(target), includeObject), columnDefinitions(scope));
}

const definitions = new WeakMap<EndpointScope, string>();

/** The columns of an endpoint in JSON. Computed once, because their descriptions are read from files. */
function columnDefinitions(scope: EndpointScope): string {
  let columns = definitions.get(scope);
  if (columns === undefined) {
    const declared = scope.columns.filter(({ undeclared }) => !undeclared);
    columns = `[${declared.map((column) => columnDefinition(scope, column)).join(',')}]`;
    definitions.set(scope, columns);
  }
  return columns;
}

/** On a watch only the first table has the column definitions. */
function tableView(writer: TableWriter, columns: string): ResponseView {
  const view: ResponseView = {
    frameKey: () => undefined,
    encode: (stored, mediaType) => {
      const list = { items: [stored], resourceVersion: stored.object.metadata.resourceVersion ?? '' };
      const json = Buffer.concat([...writer.table(list, columns)]);
      return mediaType === 'application/yaml' ? encodeYaml(parseJsonValue(json)) : json;
    },
    prepare: (stored) => writer.prepare(stored),
    jsonList: (list) => writer.tableInTurns(list, columns),
    protobufList: undefined,
    cborList: undefined,
  };
  return columns === 'null' ? view : { ...view, afterFirst: tableView(writer, 'null') };
}

/** A TableColumnDefinition in JSON, members in the order of Go's struct. */
function columnDefinition({ environment }: EndpointScope, column: Column): string {
  const { name, type, format, describedBy, priority } = column;
  const description =
    describedBy === undefined
      ? column.description
      : environment.fieldDescription(describedBy.definition, describedBy.field);
  const members = Object.entries({ name, type, format, description, priority });
  return `{${members.map(([member, value]) => `"${member}":${stringifyJson(value)}`).join(',')}}`;
}

/** The object of a row. It has all metadata where the row cannot show those in its bytes. */
function readForRow(stored: StoredObject): KubeObject {
  return stored.metadataJson?.() === undefined ? readOnce(stored) : readParts(stored);
}

class TableWriter {
  readonly #scope: EndpointScope;
  readonly #apiVersion: string;
  readonly #includeObject: string;
  readonly #rowForm: WireForm;
  readonly #metadata: MetadataForm;
  readonly #marks = new MarkedTime();

  constructor(scope: EndpointScope, apiVersion: string, includeObject: string) {
    this.#scope = scope;
    this.#apiVersion = apiVersion;
    this.#includeObject = includeObject;
    this.#rowForm = rowFormOf(scope);
    this.#metadata = metadataForm('application/json', apiVersion);
  }

  /** Decodes a large object, unless its row and what the row shows of it are kept. */
  prepare(stored: StoredObject): Promise<unknown> | undefined {
    if (stored.load === undefined) return undefined;
    const kept = stored.wire(this.#rowForm);
    if (kept === undefined) return stored.load();
    if (this.#includeObject === 'Object') return this.#scope.form('application/json').prepare(stored);
    if (this.#includeObject === 'None' && !new TableRow(kept).isWhole) return undefined;
    return this.#metadata.prepare(stored);
  }

  /** A table of objects in memory. */
  *table(list: StoredList, columns: string): Generator<Uint8Array> {
    const pieces = this.#pieces(list, columns, () => undefined);
    for (const piece of pieces) if (piece instanceof Uint8Array) yield piece;
  }

  /**
   * A table of stored objects. Paths of columns can take milliseconds for a row, so that rows are computed in time
   * slices.
   */
  tableInTurns(list: StoredList, columns: string): Generator<Piece> {
    const slice = new TimeSlice();
    return this.#pieces(list, columns, (stored) => this.prepare(stored) ?? (slice.over ? slice.yield() : undefined));
  }

  *#pieces(
    list: StoredList,
    columns: string,
    wait: (stored: StoredObject) => Promise<unknown> | undefined,
  ): Generator<Piece> {
    const now = this.#scope.environment.now();
    const head = `{"kind":"Table","apiVersion":"${this.#apiVersion}","metadata":${typedListMeta(list)}`;
    if (list.items.length === 0) {
      const rows = this.#scope.definition.emptyRowsAreNull ? 'null' : '[]';
      yield Buffer.from(`${head},"columnDefinitions":${columns},"rows":${rows}}`);
      return;
    }
    yield Buffer.from(`${head},"columnDefinitions":${columns},"rows":[`);
    let isFirst = true;
    let opened = NOTHING;
    for (const stored of this.#rows(list)) {
      const loading = wait(stored);
      if (loading !== undefined) yield loading;
      const { row, object } = this.#row(stored);
      // Metadata are not kept once more: to find them in the object costs as much as to find kept bytes.
      const metadata = this.#showsMetadata(row) ? stored.metadataJson?.() : undefined;
      const printed = row.print(now, opened, metadata && this.#metadata.jsonHead);
      yield isFirst ? printed.subarray(ROW_END.length) : printed;
      yield metadata ?? this.#object(stored, row, object);
      opened = metadata === undefined ? NOTHING : METADATA_END;
      isFirst = false;
    }
    yield opened;
    yield Buffer.from('}]}');
  }

  /** Many rows stay in the order of the list: a comparison decodes them all in one turn. */
  #rows({ items }: StoredList): readonly StoredObject[] {
    const { definition, columns } = this.#scope;
    const isSorted = definition.compareRows !== undefined && columns === definition.columns;
    if (!isSorted || items.length > MAX_SORTED_ROWS) return items;
    return items.toSorted((a, b) => definition.compareRows?.(a.object, b.object) ?? 0);
  }

  /** A row, and the object that was read for it. */
  #row(stored: StoredObject): { readonly row: TableRow; readonly object?: KubeObject } {
    const kept = stored.wire(this.#rowForm);
    if (kept !== undefined) return { row: new TableRow(kept) };
    const object = readForRow(stored);
    const text = `${ROW_END}{"cells":${this.#cells(object)}${this.#conditions(object)},"object":`;
    const row = this.#marks.row(text, endsInitialEvents(object));
    stored.keep?.(this.#rowForm, row.bytes);
    return { row, object };
  }

  #cells(stored: KubeObject): string {
    const { columns, codec } = this.#scope;
    // A bookmark only has a version. Columns still find every field that objects of the kind always have.
    const object = stored.metadata.name === undefined ? codec.normalize(stored) : stored;
    return stringifyJson(columns.map((column) => column.cell(object, this.#marks) as Json));
  }

  #conditions(object: KubeObject): string {
    const { definition, columns } = this.#scope;
    const conditions = columns === definition.columns ? (definition.rowConditions?.(object) ?? []) : [];
    return conditions.length === 0 ? '' : `,"conditions":${JSON.stringify(conditions)}`;
  }

  #showsMetadata({ isWhole }: TableRow): boolean {
    return this.#includeObject === 'None' ? isWhole : this.#includeObject !== 'Object';
  }

  #object(stored: StoredObject, row: TableRow, read: KubeObject | undefined): Uint8Array {
    if (this.#showsMetadata(row)) return this.#metadata.encode(stored, undefined, read);
    return this.#includeObject === 'None' ? NULL : this.#scope.form('application/json').encode(stored);
  }
}
