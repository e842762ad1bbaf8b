//! Access control: only the page that this run opened may send requests.

use rand::RngExt;
use tiny_http::Request;

/// The header in which the page's scripts send the token.
const HEADER: &str = "X-Tilewright-Token";

/// The token of a run, and its address.
#[derive(Debug)]
pub(super) struct Guard {
    token: String,
    port: u16,
}

impl Guard {
    pub(super) fn new(port: u16) -> Self {
        let number: u128 = rand::rng().random();
        Self {
            token: format!("{number:032x}"),
            port,
        }
    }

    pub(super) fn token(&self) -> &str {
        &self.token
    }

    pub(super) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/?token={}", self.port, self.token)
    }

    /// Admits a request with the token, for this server, and from its own page.
    ///
    /// # Errors
    /// Why it is refused.
    pub(super) fn admit(&self, request: &Request, query: &str) -> Result<(), &'static str> {
        let header = |name: &'static str| {
            let mut headers = request.headers().iter();
            headers
                .find(|header| header.field.equiv(name))
                .map(|header| header.value.as_str())
        };
        let own = ["127.0.0.1", "localhost"].map(|host| format!("{host}:{}", self.port));
        // A name that somebody has made to stand for this address is another host.
        if !header("Host").is_some_and(|host| own.iter().any(|own| own == host)) {
            return Err("this is another host");
        }
        if let Some(origin) = header("Origin")
            && !own.iter().any(|own| origin.strip_prefix("http://") == Some(own))
        {
            return Err("this is another origin");
        }
        let in_query = query.split('&').find_map(|part| part.strip_prefix("token="));
        let given = header(HEADER).or(in_query);
        if !given.is_some_and(|given| same(given, &self.token)) {
            return Err(
                "the token of this run is missing: open the address that `tilewright explore` printed",
            );
        }
        Ok(())
    }
}

/// Compares two texts in constant time, so that the time does not reveal where they differ.
fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}
