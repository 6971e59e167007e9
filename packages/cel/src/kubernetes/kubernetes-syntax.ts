import { LIST_MACROS, OPTIONAL_MACROS, STANDARD_MACROS, TWO_VARIABLE_MACROS } from '../syntax/macros.js';
import type { SyntaxOptions } from '../syntax/syntax-options.js';

/**
 * The syntax of expressions in Kubernetes 1.36.
 *
 * Upstream: k8s.io/apiserver/pkg/cel/environment/base.go
 */
export const KUBERNETES_SYNTAX: SyntaxOptions = {
  macros: new Map([...STANDARD_MACROS, ...OPTIONAL_MACROS, ...TWO_VARIABLE_MACROS, ...LIST_MACROS]),
  optionalSyntax: true,
};
