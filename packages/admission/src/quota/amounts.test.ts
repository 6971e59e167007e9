import { type Amounts, amountsOf, Quantity } from '@apiserver/apimachinery/values';
import { expect, it } from 'vitest';
import { equalAmounts, exceeded, mask, nonZero, printAmounts, surplus } from './amounts.js';

const printed = (amounts: Amounts) => printAmounts(amounts);

it.each<[Record<string, string>, Record<string, string>, boolean]>([
  [{}, {}, true],
  [{ cpu: '1' }, { cpu: '1000m' }, true],
  [{ cpu: '1' }, { cpu: '2' }, false],
  [{ cpu: '1' }, { cpu: '1', memory: '1' }, false],
  [{ cpu: '1', memory: '1' }, { cpu: '1' }, false],
  [{ cpu: '1' }, { memory: '1' }, false],
])('%j and %j are equal: %s', (a, b, expected) => {
  expect(equalAmounts(amountsOf(a), amountsOf(b))).toBe(expected);
});

it('never subtracts below zero', () => {
  const rest = surplus(amountsOf({ cpu: '3', memory: '1', pods: '2' }), amountsOf({ cpu: '1', memory: '5' }));
  expect([printed(rest), printed(nonZero(rest))]).toEqual(['cpu=2,memory=0,pods=2', 'cpu=2,pods=2']);
});

it('finds the resources beyond the limits, and selects the named ones', () => {
  const amounts = amountsOf({ cpu: '3', memory: '5', pods: '2' });
  expect([...exceeded(amounts, amountsOf({ cpu: '2', memory: '5' }))]).toEqual(['cpu']);
  expect(printed(mask(amounts, new Map([['pods', Quantity.of(1)]])))).toBe('pods=2');
});
