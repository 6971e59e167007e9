import type { LabelSelectorSpec } from '@apiserver/apimachinery';
import { labelSelectorAsSelector } from '@apiserver/apimachinery/selectors';
import { isParseError } from '@apiserver/apimachinery/text';

/**
 * A label selector in one cell; `none` for one that asks for nothing (printDeployment leaves the cell empty).
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
