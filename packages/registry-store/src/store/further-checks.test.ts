import { FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { afterEach, expect, it, vi } from 'vitest';
import { testContext, type Widget, widget, widgetStrategy } from '../testing/widget.js';
import { furtherErrors } from './further-checks.js';

afterEach(() => vi.restoreAllMocks());

const fault = fieldInvalid(FieldPath.of('spec'), 1, 'no');
const object = widget({ name: 'a' });

/** The further checks, after first ones that take this many milliseconds. */
function checked(milliseconds: number, validateInTurns: (() => [typeof fault]) | undefined) {
  const now = vi.spyOn(performance, 'now').mockReturnValue(1000);
  const first = vi.fn(() => {
    now.mockReturnValue(1000 + milliseconds);
    return [fault];
  });
  const strategy = validateInTurns === undefined ? widgetStrategy : { ...widgetStrategy, validateInTurns };
  return { first, errors: furtherErrors<Widget>(strategy, testContext(), { object, old: undefined }, first) };
}

it('runs only the first checks without further ones', () => {
  const { first, errors } = checked(0, undefined);
  expect([first.mock.calls.length, errors]).toEqual([1, []]);
});

it('runs further checks at once after quick ones, and gives them their errors', () => {
  const validate = vi.fn((): [typeof fault] => [fault]);
  const { errors } = checked(9, validate);
  expect(errors).toEqual([fault]);
  expect(validate.mock.calls[0]).toEqual([expect.anything(), object, undefined, [fault]]);
});

it('runs them in a later turn after slow ones', async () => {
  const validate = vi.fn((): [typeof fault] => [fault]);
  const { errors } = checked(10, validate);
  expect(validate).not.toHaveBeenCalled();
  expect(await errors).toEqual([fault]);
});
