import { type CallCost, type Implementation, type Implementations, implement } from '../../values/implementation.js';
import { TextList } from '../../values/lists.js';
import { OptionalValue, type Result } from '../../values/value.js';
import { searchCost } from '../call-costs.js';
import { NAMED_FORMATS, NamedFormat } from './named-formats.js';

/** A search with a pattern of the format's size. */
export const VALIDATE: CallCost = ([format, text]) =>
  format instanceof NamedFormat ? searchCost(text, format.patternSize) : 1;

function validate(format: NamedFormat, text: string): Result {
  const faults = format.validate(text);
  return faults.length === 0 ? OptionalValue.NONE : OptionalValue.of(new TextList(faults));
}

/** A function for each format, and one by its name. */
function formatFunctions(): Record<string, Implementation> {
  const functions: Record<string, Implementation> = {};
  for (const [name, format] of NAMED_FORMATS) functions[`format.${name}`] = implement([], () => format);
  return functions;
}

/** Upstream: k8s.io/apiserver/pkg/cel/library/format.go */
export const FORMAT_IMPLEMENTATIONS: Implementations = {
  ...formatFunctions(),
  'format-named': implement(['string'], (name) => {
    const format = NAMED_FORMATS.get(name);
    return format === undefined ? OptionalValue.NONE : OptionalValue.of(format);
  }),
  'format-validate': implement([NamedFormat, 'string'], validate, VALIDATE),
};
