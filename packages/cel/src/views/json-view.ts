import type { DeclType } from '../kubernetes/decl-type.js';
import { escapeField } from '../kubernetes/escape-field.js';
import { isDynamic, PRESERVED } from '../types/cel-type.js';
import type { Value } from '../values/value.js';
import type { Work } from '../values/work.js';
import { dynValue } from './dyn-view.js';
import {
  BoolForm,
  BytesForm,
  DateForm,
  DateTimeForm,
  DoubleForm,
  DurationForm,
  IntForm,
  IntOrStringForm,
  JsonForm,
  StringForm,
} from './json-form.js';
import { JsonList, ListForm } from './json-list.js';
import { JsonMapValue, MapForm, ObjectForm, type Property } from './json-object.js';
import { PreservedForm } from './preserved-value.js';
import { ViewContext } from './view-context.js';

/** The value of JSON by its type. Nothing is copied: the JSON must not change while the value is in use. */
export function jsonView(json: unknown, decl: DeclType): Value {
  return formOf(decl).read(json, new ViewContext());
}

/** Counts the work of reading a value, if that is a view. Optionals are read without a schema. */
export function countWork(view: Value | undefined, work: Work): void {
  if (view instanceof JsonMapValue || view instanceof JsonList) view.context.work = work;
}

const forms = new WeakMap<DeclType, JsonForm>();

function formOf(decl: DeclType): JsonForm {
  const known = forms.get(decl);
  if (known !== undefined) return known;
  const form = makeForm(decl);
  forms.set(decl, form);
  return form;
}

class DynForm extends JsonForm {
  protected readPresent(json: unknown, context: ViewContext): Value {
    return dynValue(json, context);
  }
}

function makeForm(decl: DeclType): JsonForm {
  const { type, nullable = false } = decl;
  if (decl.intOrString === true) return new IntOrStringForm(nullable);
  if (decl.fields !== undefined) return new ObjectForm(nullable, propertiesOf(decl));
  if (decl.element !== undefined) {
    const element = formOf(decl.element);
    if (type.kind === 'map') return new MapForm(nullable, element);
    return new ListForm(nullable, element, decl.listKind ?? { type: 'atomic' });
  }
  switch (type.kind) {
    case 'bool':
      return new BoolForm(nullable);
    case 'int':
      return new IntForm(nullable);
    case 'double':
      return new DoubleForm(nullable);
    case 'bytes':
      return new BytesForm(nullable);
    case 'duration':
      return new DurationForm(nullable);
    case 'timestamp':
      return decl.date === true ? new DateForm(nullable) : new DateTimeForm(nullable);
    case 'string':
      return new StringForm(nullable);
    default:
      if (isDynamic(type)) return new DynForm(true);
      if (type === PRESERVED) return new PreservedForm(nullable);
      throw new TypeError(`no JSON has the type ${type.name}`);
  }
}

function propertiesOf({ fields, properties }: DeclType): ReadonlyMap<string, Property> {
  const made = new Map<string, Property>();
  for (const [name, decl] of properties ?? fields ?? []) {
    made.set(name, {
      name,
      field: escapeField(name) ?? name,
      form: formOf(decl),
      inherited: name in Object.prototype,
    });
  }
  return made;
}
