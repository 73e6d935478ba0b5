# docker build -t terrors .
# docker run --rm -v "$PWD":/desk terrors balance        plays the cards.csv of the folder that you are in
# (--user "$(id -u)" writes as you, where you are not user 1000; the engine is then compiled at each start)
FROM python:3.12-slim
WORKDIR /src
COPY . .
RUN pip install --no-cache-dir --constraint constraints.txt ".[spreadsheets]" && useradd --create-home designer && mkdir /desk && chown designer /desk
USER designer
ENV HOME=/home/designer
WORKDIR /desk
# The rules engine and the pilots are compiled once, now and not at every start.
RUN terrors balance --quick > /dev/null && rm -r runs
ENTRYPOINT ["terrors"]
CMD ["--help"]
