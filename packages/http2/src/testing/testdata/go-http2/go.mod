module go-http2

go 1.24
