package main

import (
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"time"
)

// askCertificate verifies the first certificate below roots, as a client of TLS or as a server that clients show it to.
func askCertificate(question json.RawMessage) (any, error) {
	var asked struct {
		Chain  [][]byte `json:"chain"`
		Roots  [][]byte `json:"roots"`
		Server bool     `json:"server"`
		Host   string   `json:"host"`
		Now    int64    `json:"now"`
	}
	if err := json.Unmarshal(question, &asked); err != nil {
		return nil, err
	}
	options := x509.VerifyOptions{
		Roots:         x509.NewCertPool(),
		Intermediates: x509.NewCertPool(),
		DNSName:       asked.Host,
		CurrentTime:   time.UnixMilli(asked.Now).UTC(),
		KeyUsages:     []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	if asked.Server {
		options.KeyUsages = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	}
	for _, root := range asked.Roots {
		options.Roots.AppendCertsFromPEM(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root}))
	}
	parsed := make([]*x509.Certificate, len(asked.Chain))
	for index, bytes := range asked.Chain {
		certificate, err := x509.ParseCertificate(bytes)
		if err != nil {
			return map[string]string{"unparsed": err.Error()}, nil
		}
		parsed[index] = certificate
	}
	for _, certificate := range parsed[1:] {
		options.Intermediates.AddCert(certificate)
	}
	if _, err := parsed[0].Verify(options); err != nil {
		return map[string]string{"error": err.Error()}, nil
	}
	return map[string]string{}, nil
}
