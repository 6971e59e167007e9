package main

import (
	"encoding/json"
	"errors"

	"k8s.io/apimachinery/pkg/api/validate/content"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/api/validation/path"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	netutils "k8s.io/utils/net"
)

var placeOfFormats = field.NewPath("p")

// textRules return the faults of a text, by name; of a network its canonical forms.
var textRules = map[string]func(string) []string{
	"annotation": func(text string) []string {
		return messagesOf(apivalidation.ValidateAnnotations(map[string]string{text: ""}, placeOfFormats))
	},
	"caselessSubdomain":   content.IsDNS1123SubdomainCaseless,
	"configMapKey":        validation.IsConfigMapKey,
	"dns1035Label":        validation.IsDNS1035Label,
	"dns1035LabelPrefix":  func(text string) []string { return apivalidation.NameIsDNS1035Label(text, true) },
	"environmentVariable": validation.IsRelaxedEnvVarName,
	"finalizer": func(text string) []string {
		return messagesOf(apivalidation.ValidateFinalizerName(text, placeOfFormats))
	},
	"header": validation.IsHTTPHeaderName,
	"label":  validation.IsDNS1123Label,
	"labels": func(text string) []string {
		return messagesOf(metavalidation.ValidateLabels(map[string]string{text: text}, placeOfFormats))
	},
	"labelValue": validation.IsValidLabelValue,
	"network": func(text string) []string {
		ip, network, err := netutils.ParseCIDRSloppy(text)
		if err != nil {
			return []string{}
		}
		return []string{ip.String(), network.String()}
	},
	"percent":  validation.IsValidPercent,
	"portName": validation.IsValidPortName,
	"prefixedPath": func(text string) []string {
		return messagesOf(validation.IsDomainPrefixedPath(placeOfFormats, text))
	},
	"qualifiedName":       validation.IsQualifiedName,
	"segment":             func(text string) []string { return path.ValidatePathSegmentName(text, false) },
	"segmentPrefix":       func(text string) []string { return path.ValidatePathSegmentName(text, true) },
	"subdomain":           validation.IsDNS1123Subdomain,
	"subdomainPrefix":     func(text string) []string { return apivalidation.NameIsDNSSubdomain(text, true) },
	"underscoreSubdomain": validation.IsDNS1123SubdomainWithUnderscore,
	"wildcardSubdomain":   validation.IsWildcardDNS1123Subdomain,
}

func messagesOf(list field.ErrorList) []string {
	messages := []string{}
	for _, err := range list {
		messages = append(messages, err.Error())
	}
	return messages
}

func askFormat(question json.RawMessage) (any, error) {
	var asked struct {
		Rule string `json:"rule"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(question, &asked); err != nil {
		return nil, err
	}
	rule, ok := textRules[asked.Rule]
	if !ok {
		return nil, errors.New("no such rule")
	}
	return append([]string{}, rule(asked.Text)...), nil
}
