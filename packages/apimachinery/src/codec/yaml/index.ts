export { encodeYaml, encodeYamlSteps } from './encode-yaml.js';
export {
  isPlainJson,
  parseYaml,
  type YamlDocument,
  type YamlText,
  yamlToJson,
  yamlToJsonText,
} from './yaml-to-json.js';
