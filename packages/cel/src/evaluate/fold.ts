import { NO_SUCH_OVERLOAD } from '../values/errors.js';
import { readResult } from '../values/invalid-value.js';
import { GatheredList } from '../values/lists.js';
import { GatheredMap } from '../values/maps.js';
import { goTypeName } from '../values/runtime-type.js';
import { EvaluationError, ListValue, MapValue, type Result, type Value } from '../values/value.js';
import type { Frame, Step } from './frame.js';

/** A compiled comprehension. The numbers are slots. */
export interface Fold {
  readonly range: Step;
  readonly initial: Step;
  readonly condition: Step;
  readonly step: Step;
  readonly result: Step;
  readonly accumulator: number;
  readonly variable: number;
  /** The slot of the second variable of macros that take two. */
  readonly second: number | undefined;
}

/** Compiles a comprehension. */
export function foldStep(fold: Fold): Step {
  const { range, accumulator, result } = fold;
  return (frame) => {
    const values = range(frame);
    if (values instanceof EvaluationError) return values;
    frame.slots[accumulator] = undefined;
    if (values instanceof ListValue) foldList(fold, frame, values);
    else if (values instanceof MapValue) foldMap(fold, frame, values);
    else return new EvaluationError(rangeFault(fold, goTypeName(values)));
    return close(result(frame));
  };
}

function rangeFault({ second }: Fold, type: string): string {
  return second === undefined
    ? `got '${type}', expected iterable type`
    : `unsupported comprehension range type: ${type}`;
}

/** The accumulator as steps read it: it gets its initial value when it is first read. */
export function accumulatorStep(slot: number, initial: Step): Step {
  return (frame) => {
    const known = frame.slots[slot];
    if (known !== undefined) return known;
    const value = growing(initial(frame));
    frame.slots[slot] = value;
    return value;
  };
}

/** An empty list or map may grow while the comprehension gathers. */
function growing(value: Result): Result {
  if (value instanceof ListValue && value.size === 0) return new GatheredList();
  return value instanceof MapValue && value.size === 0 ? new GatheredMap() : value;
}

function close(value: Result): Result {
  if (value instanceof GatheredList || value instanceof GatheredMap) value.open = false;
  return value;
}

function foldList(fold: Fold, frame: Frame, list: ListValue): void {
  const { variable, second } = fold;
  const { size } = list;
  for (let index = 0; index < size; index++) {
    const element = readResult(list.at(index));
    frame.slots[variable] = second === undefined ? element : index;
    if (second !== undefined) frame.slots[second] = element;
    if (!turn(fold, frame)) return;
  }
}

function foldMap(fold: Fold, frame: Frame, map: MapValue): void {
  const { variable, second } = fold;
  for (const key of map.keys()) {
    frame.slots[variable] = readResult(key);
    if (second !== undefined) frame.slots[second] = entryOf(map, key);
    if (!turn(fold, frame)) return;
  }
}

function entryOf(map: MapValue, key: Value): Result {
  const value = map.find(key);
  return value === undefined ? NO_SUCH_OVERLOAD : readResult(value);
}

/** One turn of the loop; false if the condition ends it. */
function turn({ condition, step, accumulator }: Fold, frame: Frame): boolean {
  if (condition(frame) === false) return false;
  frame.slots[accumulator] = step(frame);
  return true;
}
