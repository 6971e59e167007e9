import { isParseError, ParseError, quote } from '@apiserver/apimachinery/text';
import { formatIPAddress, maskedBytes, parseAddress } from '@apiserver/apimachinery/values';
import { type CelType, opaque } from '../../types/cel-type.js';
import { NO_SUCH_OVERLOAD, noConversion } from '../../values/errors.js';
import { type CallCost, type Implementations, implement } from '../../values/implementation.js';
import { type EvaluationError, OpaqueValue, type Result, type Value } from '../../values/value.js';
import { sizeOf, TRAVERSE_FIRST, traversal } from '../call-costs.js';
import { orError, parses } from '../parse-result.js';
import { IP, isMapped, isSameAddress, parseIP } from './ip.js';

const CIDR_TYPE = opaque('net.CIDR');

/** A network: an address, which may have bits beyond the prefix, and the length of the prefix. */
class CIDR extends OpaqueValue {
  readonly type: CelType = CIDR_TYPE;
  readonly bytes: readonly number[];
  readonly prefixLength: number;
  override readonly size: number;

  constructor(bytes: readonly number[], prefixLength: number) {
    super();
    this.bytes = bytes;
    this.prefixLength = prefixLength;
    this.size = Math.ceil(prefixLength / 8);
  }

  override get key(): string {
    return `cidr ${this}`;
  }

  override get unwrapError(): EvaluationError {
    return noConversion('netip.Prefix', this);
  }

  equals(other: Value): boolean | EvaluationError {
    if (!(other instanceof CIDR)) return NO_SUCH_OVERLOAD;
    return this.prefixLength === other.prefixLength && isSameAddress(this.bytes, other.bytes);
  }

  /** Reports whether an address lies in the network. */
  contains(bytes: readonly number[]): boolean {
    return this.#sharesPrefix(bytes, this.prefixLength);
  }

  /** Reports whether another network lies in this one. */
  containsNetwork(other: CIDR): boolean {
    return this.prefixLength <= other.prefixLength && this.#sharesPrefix(other.bytes, this.prefixLength);
  }

  /** The network whose address has no bits beyond the prefix. */
  masked(): CIDR {
    return new CIDR(maskedBytes(this.bytes, this.prefixLength), this.prefixLength);
  }

  override toString(): string {
    return `${formatIPAddress(this.bytes)}/${this.prefixLength}`;
  }

  #sharesPrefix(bytes: readonly number[], bits: number): boolean {
    return isSameAddress(maskedBytes(this.bytes, bits), maskedBytes(bytes, bits));
  }
}

const PREFIX_FAULT = 'network address parse error during conversion from string: ';

/** Parses a network. Throws a ParseError with upstream's text. */
function parseCIDR(text: string): CIDR {
  const slash = text.lastIndexOf('/');
  if (slash < 0) throw prefixError(text, "no '/'");
  const { bytes, zone } = addressOf(text, slash);
  if (zone !== '') throw prefixError(text, 'IPv6 zones cannot be present in a prefix');
  const bits = text.slice(slash + 1);
  if (!/^(?:[0-9]|[1-9][0-9]{1,18})$/.test(bits) || BigInt(bits) >= 2n ** 63n) {
    throw prefixError(text, `bad bits after slash: ${quote(bits)}`);
  }
  if (Number(bits) > bytes.length * 8) throw prefixError(text, 'prefix length out of range');
  if (isMapped(bytes)) throw new ParseError(`IPv4-mapped IPv6 address ${quote(text)} is not allowed`);
  return new CIDR(bytes, Number(bits));
}

function addressOf(text: string, slash: number) {
  try {
    return parseAddress(text.slice(0, slash));
  } catch (error) {
    throw isParseError(error) ? prefixError(text, error.message) : error;
  }
}

function prefixError(text: string, fault: string): ParseError {
  return new ParseError(`${PREFIX_FAULT}netip.ParsePrefix(${quote(text)}): ${fault}`);
}

function cidrOf(text: string): Result {
  return orError(() => parseCIDR(text), PREFIX_FAULT);
}

const CONTAINS_IP: CallCost = ([cidr]) => Math.ceil(sizeOf(cidr) * 2 * 0.1);
const CONTAINS_CIDR: CallCost = (args, result) => CONTAINS_IP(args, result) + traversal(args[0]) + 1;

/** The comparison, after a pass over the text of the second argument. */
const parsingSecond =
  (cost: CallCost): CallCost =>
  (args, result) =>
    cost(args, result) + traversal(args[1]);

/** The costs of functions whose overload is open: upstream then adds nothing for a text. */
export const CIDR_FUNCTION_COSTS = { containsCIDR: CONTAINS_CIDR, containsIP: CONTAINS_IP };

/** Addresses are short: a longer text is refused at once. */
const PARSE_WORK = 100;

/** Upstream: k8s.io/apiserver/pkg/cel/library/cidr.go */
export const CIDR_IMPLEMENTATIONS: Implementations = {
  cidr_contains_cidr: implement([CIDR, CIDR], (cidr, other) => cidr.containsNetwork(other), CONTAINS_CIDR),
  cidr_contains_cidr_string: implement(
    [CIDR, 'string'],
    (cidr, text) => {
      const other = cidrOf(text);
      return other instanceof CIDR ? cidr.containsNetwork(other) : other;
    },
    parsingSecond(CONTAINS_CIDR),
    PARSE_WORK,
  ),
  cidr_contains_ip_ip: implement([CIDR, IP], (cidr, ip) => cidr.contains(ip.bytes), CONTAINS_IP),
  cidr_contains_ip_string: implement(
    [CIDR, 'string'],
    (cidr, text) => {
      const ip = orError(() => parseIP(text));
      // Upstream looks at the network for the cause, and so hides the error of the address.
      return ip instanceof IP ? cidr.contains(ip.bytes) : NO_SUCH_OVERLOAD;
    },
    parsingSecond(CONTAINS_IP),
    PARSE_WORK,
  ),
  cidr_ip: implement([CIDR], (cidr) => new IP(cidr.bytes)),
  cidr_masked: implement([CIDR], (cidr) => cidr.masked()),
  cidr_prefix_length: implement([CIDR], (cidr) => cidr.prefixLength),
  cidr_to_string: implement([CIDR], (cidr) => cidr.toString()),
  is_cidr: implement(['string'], (text) => parses(() => parseCIDR(text)), TRAVERSE_FIRST, PARSE_WORK),
  string_to_cidr: implement(['string'], cidrOf, TRAVERSE_FIRST, PARSE_WORK),
};
