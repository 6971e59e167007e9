// Command program answers questions by upstream's modules. It reads one question a line (JSON) and writes one answer a line.
// A question names its area; the other members depend on the area.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

// areas answer questions. Each gets the whole question.
var areas = map[string]func(json.RawMessage) (any, error){
	"cel":             askCel,
	"certificate":     askCertificate,
	"columns":         askColumns,
	"configuration":   askConfiguration,
	"customResources": askCustomResources,
	"flowControl":     askFlowControl,
	"format":          askFormat,
	"histogram":       askHistogram,
	"podSecurity":     askPodSecurity,
	"policy":          askPolicy,
	"policyCel":       askPolicyCel,
	"policyTypes":     askPolicyTypes,
	"requestInfo":     askRequestInfo,
	"rule":            askRule,
	"server":          askServer,
	"value":           askValue,
	"work":            askWork,
}

func main() {
	klog.SetLogger(logr.Discard())
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	questions, answers := json.NewDecoder(bufio.NewReader(in)), json.NewEncoder(out)
	answers.SetEscapeHTML(false)
	for {
		var question json.RawMessage
		if err := questions.Decode(&question); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		answer, err := answerOf(question)
		if err != nil {
			return fmt.Errorf("%s: %w", question, err)
		}
		if err := answers.Encode(answer); err != nil {
			return err
		}
	}
}

func answerOf(question json.RawMessage) (any, error) {
	var asked struct {
		Area string `json:"area"`
	}
	if err := json.Unmarshal(question, &asked); err != nil {
		return nil, err
	}
	area, ok := areas[asked.Area]
	if !ok {
		return nil, errors.New("no such area")
	}
	return area(question)
}
