import { formatCheck } from '@apiserver/apimachinery/codec/structural';
import { isParseError } from '@apiserver/apimachinery/text';
import {
  isDNS1035Label,
  isLabelValue,
  isQualifiedName,
  nameIsDNS1035Label,
  nameIsDNSLabel,
  nameIsDNSSubdomain,
} from '@apiserver/apimachinery/validation';
import { parseRequestUrl } from '@apiserver/apimachinery/values';
import { type CelType, structOf } from '../../types/cel-type.js';
import { EvaluationError, OpaqueValue, type Value } from '../../values/value.js';

const FORMAT_TYPE = structOf('kubernetes.NamedFormat');

/** A format by its name. */
export class NamedFormat extends OpaqueValue {
  readonly type: CelType = FORMAT_TYPE;
  readonly name: string;
  /** The length of a pattern that costs as much as the check. */
  readonly patternSize: number;
  /** The faults of a text; none if it is valid. */
  readonly validate: (text: string) => readonly string[];

  constructor(name: string, patternSize: number, validate: (text: string) => readonly string[]) {
    super();
    this.name = name;
    this.patternSize = patternSize;
    this.validate = validate;
  }

  override get key(): undefined {
    return undefined;
  }

  equals(other: Value): boolean | EvaluationError {
    if (!(other instanceof NamedFormat)) return new EvaluationError('no such overload');
    return this.name === other.name;
  }

  override toString(): string {
    return this.name;
  }
}

/** The faults of a text that a format of definitions refuses. */
function checking(format: string, fault: string): (text: string) => readonly string[] {
  const check = formatCheck(format);
  return (text) => (check?.(text) === false ? [fault] : []);
}

function uriFaults(text: string): readonly string[] {
  try {
    parseRequestUrl(text);
    return [];
  } catch (error) {
    if (!isParseError(error)) throw error;
    return [error.message];
  }
}

/**
 * The formats by their names in expressions. Upstream: ConstantFormats in k8s.io/apiserver/pkg/cel/library/format.go
 */
export const NAMED_FORMATS: ReadonlyMap<string, NamedFormat> = new Map([
  ['byte', new NamedFormat('byte', 84, checking('byte', 'invalid base64'))],
  ['date', new NamedFormat('date', 71, checking('date', 'invalid date'))],
  ['datetime', new NamedFormat('datetime', 71, checking('datetime', 'invalid datetime'))],
  ['dns1035Label', new NamedFormat('DNS1035Label', 30, isDNS1035Label)],
  ['dns1035LabelPrefix', new NamedFormat('DNS1035LabelPrefix', 30, (text) => nameIsDNS1035Label(text, true))],
  ['dns1123Label', new NamedFormat('DNS1123Label', 30, (text) => nameIsDNSLabel(text))],
  ['dns1123LabelPrefix', new NamedFormat('DNS1123LabelPrefix', 30, (text) => nameIsDNSLabel(text, true))],
  ['dns1123Subdomain', new NamedFormat('DNS1123Subdomain', 60, (text) => nameIsDNSSubdomain(text))],
  ['dns1123SubdomainPrefix', new NamedFormat('DNS1123SubdomainPrefix', 60, (text) => nameIsDNSSubdomain(text, true))],
  ['labelValue', new NamedFormat('LabelValue', 40, isLabelValue)],
  ['qualifiedName', new NamedFormat('QualifiedName', 60, isQualifiedName)],
  ['uri', new NamedFormat('URI', 1_103, uriFaults)],
  ['uuid', new NamedFormat('uuid', 70, checking('uuid', 'does not match the UUID format'))],
]);
