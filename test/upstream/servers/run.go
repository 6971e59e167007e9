package servers

import (
	"fmt"
	"io"
	"os"
)

// Run runs a command to its end: also that of the tests that started it, where they are stopped.
func Run(command func(args []string) error) {
	go endWithInput()
	if err := command(os.Args); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func endWithInput() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}
