// The fixture of the cases of HTTP/1.1 on net/http, without TLS. It prints the port that it listens on.
package main

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"time"
)

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	server := &http.Server{
		Handler:           http.HandlerFunc(answer),
		ErrorLog:          log.New(io.Discard, "", 0),
		MaxHeaderBytes:    1 << 20,
		IdleTimeout:       90 * time.Second,
		ReadHeaderTimeout: 32 * time.Second,
	}
	log.Fatal(server.Serve(listener))
}

func answer(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/head":
		w.Header().Set("X-Head", "true")
		io.WriteString(w, "head")
	case "/read":
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		fmt.Fprintf(w, "read %s", body)
	case "/stream":
		io.WriteString(w, "a")
		http.NewResponseController(w).Flush()
		io.WriteString(w, "b")
	default:
		fmt.Fprintf(w, "%s %s %s %s", r.Method, r.RequestURI, r.URL.Path, r.Host)
	}
}
