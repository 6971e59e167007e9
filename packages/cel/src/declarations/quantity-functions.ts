import type { Signatures } from '../check/declarations.js';

/** Upstream: k8s.io/apiserver/pkg/cel/library/quantity.go */
export const QUANTITY_FUNCTIONS: Signatures = {
  add: [
    'quantity_add: kubernetes.Quantity.(kubernetes.Quantity) -> kubernetes.Quantity',
    'quantity_add_int: kubernetes.Quantity.(int) -> kubernetes.Quantity',
  ],
  asApproximateFloat: ['quantity_get_float: kubernetes.Quantity.() -> double'],
  asInteger: ['quantity_get_int: kubernetes.Quantity.() -> int'],
  compareTo: ['quantity_compare_to: kubernetes.Quantity.(kubernetes.Quantity) -> int'],
  isGreaterThan: ['quantity_is_greater_than: kubernetes.Quantity.(kubernetes.Quantity) -> bool'],
  isInteger: ['quantity_is_integer: kubernetes.Quantity.() -> bool'],
  isLessThan: ['quantity_is_less_than: kubernetes.Quantity.(kubernetes.Quantity) -> bool'],
  isQuantity: ['is_quantity_string: (string) -> bool'],
  quantity: ['string_to_quantity: (string) -> kubernetes.Quantity'],
  sign: ['quantity_sign: (kubernetes.Quantity) -> int'],
  sub: [
    'quantity_sub: kubernetes.Quantity.(kubernetes.Quantity) -> kubernetes.Quantity',
    'quantity_sub_int: kubernetes.Quantity.(int) -> kubernetes.Quantity',
  ],
};
