#!/usr/bin/env bash
# Compiles kube-controller-manager and kube-scheduler into the folder given, from the Go modules of one release.
set -euo pipefail
folder=${1:?usage: build.sh FOLDER [VERSION]}
version=${2:-1.36.3}
mkdir -p "$folder"
cd "$folder"

rm -f go.mod
source=$(go mod download -json "k8s.io/kubernetes@v$version" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
cat >go.mod <<MODULE
module controlplane

require k8s.io/kubernetes v$version
MODULE
# The repository's own libraries are required there as v0.0.0 and published as v0.MINOR.PATCH.
awk -v version="v0.${version#1.}" '/^\tk8s.io\/[a-z-]+ v0\.0\.0$/ { print "replace " $1 " => " $1 " " version }' \
  "$source/go.mod" >>go.mod
cat >programs.go <<SOURCE
//go:build tools

package controlplane

import (
	_ "k8s.io/kubernetes/cmd/kube-controller-manager"
	_ "k8s.io/kubernetes/cmd/kube-scheduler"
)
SOURCE
# Tests of dependencies may need modules that are not published; the programs do not.
go mod tidy -e >/dev/null 2>&1 || true
go build -o kube-scheduler k8s.io/kubernetes/cmd/kube-scheduler
go build -o kube-controller-manager k8s.io/kubernetes/cmd/kube-controller-manager
