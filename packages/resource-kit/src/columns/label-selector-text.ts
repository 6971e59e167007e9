import type { LabelSelectorSpec } from '@apiserver/apimachinery';
import { labelSelectorAsSelector } from '@apiserver/apimachinery/selectors';
import { isParseError } from '@apiserver/apimachinery/text';

/**
 * Formats a label selector for a cell; `none` for an empty selector (printDeployment leaves the cell empty).
 * Upstream: FormatLabelSelector of k8s.io/apimachinery/pkg/apis/meta/v1/helpers.go
 */
export function labelSelectorText(selector: LabelSelectorSpec | undefined, none = '<none>'): string {
  try {
    const text = labelSelectorAsSelector(selector).toString();
    return text === '' ? none : text;
  } catch (error) {
    if (isParseError(error)) return '<error>';
    throw error;
  }
}
