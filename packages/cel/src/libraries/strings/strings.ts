import { type CallCost, type CallWork, type Implementations, implement } from '../../values/implementation.js';
import { TextList } from '../../values/lists.js';
import type { Int } from '../../values/number.js';
import { EvaluationError, ListValue, type Result } from '../../values/value.js';
import { TRAVERSE_FIRST, TRAVERSE_FIRST_TWICE, TRAVERSE_RESULT_TWICE } from '../call-costs.js';
import { LIST_WORK } from '../lists/compare-work.js';
import { treeCost, treeWork } from '../tree-cost.js';
import { lowerAscii, upperAscii } from './ascii-case.js';
import { CodePoints } from './code-points.js';
import { formatValues } from './format-values.js';
import { quoteText } from './quote-text.js';
import { replaceText, splitText, tooLong } from './replace-text.js';
import { findLastText, findText } from './search-text.js';
import { trimText } from './trim-text.js';
import { valueText, valueTextWork } from './value-text.js';

function outOfRange(index: Int): EvaluationError {
  return new EvaluationError(`index out of range: ${index}`);
}

function charAt(text: string, index: Int): Result {
  // The code points before an index tell it. A text without long ones is not looked at.
  const points = new CodePoints(index < text.length ? text.slice(0, 2 * Number(index) + 2) : text);
  if (index < 0 || index > points.size) return outOfRange(index);
  return points.slice(Number(index), Number(index) + 1);
}

function indexOf(text: string, searched: string, offset: Int): Result {
  if (searched === '') return offset;
  if (offset < 0) return outOfRange(offset);
  const points = new CodePoints(text);
  if (offset >= points.size) return -1;
  const found = findText(text, searched, points.unitAt(Number(offset)));
  return found < 0 ? -1 : points.indexAt(found);
}

function lastIndexOf(text: string, searched: string, offset: Int): Result {
  if (searched === '') return offset;
  if (offset < 0) return outOfRange(offset);
  const points = new CodePoints(text);
  if (offset >= points.size) return -1;
  const found = findLastText(text, searched, points.unitAt(Number(offset)));
  return found < 0 ? -1 : points.indexAt(found);
}

/** The last place of a text; its end for the empty one. */
function lastIndexOfAll(text: string, searched: string): Result {
  const { size } = new CodePoints(text);
  if (searched === '') return size;
  return size === 0 ? -1 : lastIndexOf(text, searched, size - 1);
}

function substring(text: string, start: Int, end: Int | undefined): Result {
  const points = new CodePoints(text);
  if (end !== undefined && start > end) {
    return new EvaluationError(`invalid substring range. start: ${start}, end: ${end}`);
  }
  if (start < 0 || start > points.size) return outOfRange(start);
  if (end !== undefined && (end < 0 || end > points.size)) return outOfRange(end);
  return points.slice(Number(start), Number(end ?? points.size));
}

/** Joins texts. The list may hold other values where its type is open. */
function join(list: ListValue, separator: string): Result {
  const texts: string[] = [];
  let length = separator.length * Math.max(0, list.size - 1);
  for (let index = 0; index < list.size; index++) {
    const text = list.at(index);
    if (typeof text !== 'string') return new EvaluationError(`join: invalid input: ${valueText(text)}`);
    texts.push(text);
    length += text.length;
  }
  return tooLong(length, 'join') ?? texts.join(separator);
}

const TREE: CallCost = ([first]) => (first === undefined ? 0 : treeCost(first));

/** The work of reading more elements ends an evaluation. */
const MAX_SEARCHED = 1_000_000;

/** Also that of an error, which shows the first value that is no text. */
const JOIN_WORK: CallWork = ([list]) => {
  if (!(list instanceof ListValue)) return 0;
  const work = LIST_WORK([list]);
  for (let index = 0; index < Math.min(list.size, MAX_SEARCHED); index++) {
    const value = list.at(index);
    if (typeof value !== 'string') return work + valueTextWork(value);
  }
  return work;
};

/** Upstream: github.com/google/cel-go/ext/strings.go, version 2 */
export const STRINGS_IMPLEMENTATIONS: Implementations = {
  list_join: implement(['list(string)'], (list) => join(list, ''), TRAVERSE_RESULT_TWICE, JOIN_WORK),
  list_join_string: implement(['list(string)', 'string'], join, TRAVERSE_RESULT_TWICE, JOIN_WORK),
  string_char_at_int: implement(['string', 'int'], charAt),
  string_format: implement(['string', 'list'], formatValues, TRAVERSE_FIRST, ([, list]) => 40 * treeWork(list ?? null)),
  string_index_of_string: implement(['string', 'string'], (text, searched) => indexOf(text, searched, 0), TREE),
  string_index_of_string_int: implement(['string', 'string', 'int'], indexOf, TREE),
  string_last_index_of_string: implement(['string', 'string'], lastIndexOfAll, TREE),
  string_last_index_of_string_int: implement(['string', 'string', 'int'], lastIndexOf, TREE),
  string_lower_ascii: implement(['string'], lowerAscii, TRAVERSE_FIRST),
  string_replace_string_string: implement(
    ['string', 'string', 'string'],
    (text, searched, replacement) => replaceText(text, searched, replacement, -1),
    TRAVERSE_FIRST_TWICE,
  ),
  string_replace_string_string_int: implement(
    ['string', 'string', 'string', 'int'],
    (text, searched, replacement, limit) => replaceText(text, searched, replacement, Number(limit)),
    TRAVERSE_FIRST_TWICE,
  ),
  string_split_string: implement(
    ['string', 'string'],
    (text, separator) => new TextList(splitText(text, separator, -1)),
    TRAVERSE_FIRST_TWICE,
  ),
  string_split_string_int: implement(
    ['string', 'string', 'int'],
    (text, separator, limit) => new TextList(splitText(text, separator, Number(limit))),
    TRAVERSE_FIRST_TWICE,
  ),
  string_substring_int: implement(
    ['string', 'int'],
    (text, start) => substring(text, start, undefined),
    TRAVERSE_FIRST,
  ),
  string_substring_int_int: implement(['string', 'int', 'int'], substring, TRAVERSE_FIRST),
  string_trim: implement(['string'], trimText, TRAVERSE_FIRST),
  string_upper_ascii: implement(['string'], upperAscii, TRAVERSE_FIRST),
  strings_quote: implement(['string'], quoteText, TRAVERSE_FIRST),
};
